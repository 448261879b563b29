"""Function words of some languages: what a question says without asking for it."""

from __future__ import annotations

_ENGLISH = """
a about above after again against all also am an and any are as at be because been before being below between both but
by can could did do does doing don down during each few for from further had has have having he her here hers him his
how i if in into is it its itself just ll may me might mine more most must my no nor not now of off on once only onto
or other our ours out over own per re s same shall she should so some such t than that the their theirs them then
there these they this those through to too under until up upon us ve very was we were what when where whether which
while who whom whose why will with within without would you your yours
"""
_GERMAN = """
aber alle allem allen aller alles als also am an ander andere anderen auch auf aus bei beim bin bis bist da damit dann
das dass dem den denn der deren des dessen dich die dies diese diesem diesen dieser dieses dir doch dort du durch ein
eine einem einen einer eines er es etwas euch euer für gegen hab habe haben hat hatte hatten hier hinter ich ihm ihn
ihnen ihr ihre ihrem ihren ihrer im in indem ins ist ja jede jedem jeden jeder jedes jene jenem jenen jener jetzt kann
kein keine keinem keinen keiner können könnte man mein meine mich mir mit muss müssen nach nicht noch nun nur ob oder
ohne sehr sein seine seinem seinen seiner selbst sich sie sind so solche soll sollen sollte sondern sonst um und uns
unser unter vom von vor wann war waren warum was weil welche welchem welchen welcher welches wenn wer werde werden
wessen wie wieder will wir wird wo wohin wurde wurden während würde zu zum zur zwischen über
"""
_FRENCH = """
a ai as au aucun aucune aux avait avant avec avez avoir avons c car ce ceci cela celle celles celui ces cet cette ceux
chez combien comme comment d dans de depuis des donc dont du elle elles en entre es est et étaient était été être eu
eux faut font fut il ils j je jusqu l la laquelle le lequel les lesquelles lesquels leur leurs lors lorsque lui m ma
mais me même mes moi mon n ne ni nos notre nous on ont or ou où par pas pendant peut peuvent plus pour pourquoi puis
qu quand que quel quelle quelles quels qui quoi s sa sans se selon sera ses si soi soit son sont sous sur t ta te tes
toi ton tous tout toute toutes très tu un une vers vos votre vous y à
"""
_SPANISH = """
a al algo alguna algunas alguno algunos ante antes aquel aquella aquellas aquellos aquí así aunque bajo cada como con contra cual
cuando cuál cuáles cuándo cuánta cuántas cuánto cuántos cómo de del desde donde dónde dos durante e el ella ellas ellos en entre era
eran eres es esa esas ese eso esos esta estaba estado estar estas este esto estos está están fue fueron ha había han hasta hay he
hecho la las le les lo los me mi mis mucho muy más mí nada ni no nos nosotros nuestra nuestro o os otra otras otro otros para pero
poco por porque pueden puede qué que quien quienes quién quiénes se sea sean ser si sido sin sobre son su sus sí también tampoco
tan tanto te tengo tiene tienen toda todas todo todos tu tus un una uno unos usted vosotros y ya yo
"""

STOPWORDS: dict[str, frozenset[str]] = {
    "en": frozenset(_ENGLISH.split()),
    "de": frozenset(_GERMAN.split()),
    "fr": frozenset(_FRENCH.split()),
    "es": frozenset(_SPANISH.split()),
}
"""Function words by language, as written, case folded."""

GENERIC: frozenset[str] = frozenset(
    """
    asset cause code component date day device equipment item line machine model moment month night number part place plant
    position reason shift skid station system tag thing time train type unit way week year
    """.split()  # noqa: SIM905 - a list of words reads better as words
)
"""Words before a code that do not say what sort of thing it stands for."""
