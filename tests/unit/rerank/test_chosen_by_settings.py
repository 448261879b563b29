import pytest

from remit.engine import Remit

CHAT = '[chat]\nkind = "openai"\nurl = "http://localhost:9/v1"\nmodel = "m"\n'


@pytest.mark.parametrize(("structured", "held"), [("false", False), ("true", True)])
def test_a_structured_chat_model_is_held_to_the_schema_of_a_choice(tmp_path, structured, held):
    """The reranker of the settings says by its name how its replies are asked for; planners and judges ask as before."""
    (tmp_path / "remit.toml").write_text(f'{CHAT}structured = {structured}\n[rerank]\npolicy = "listwise"\n')
    with Remit.open(tmp_path / "store", make=True, config=tmp_path / "remit.toml", environ={}) as remit:
        assert held == ("+json" in remit.parts.line.reranker.name)
        assert "+json" not in remit.parts._chat.name
