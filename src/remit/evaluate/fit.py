"""Fits the learned evaluator: signals of drafts to the probability that a draft is right, calibrated, by whole groups.

scikit-learn fits; what it fitted is written down as numbers that `observe.evaluator` computes without it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from importlib import import_module
from types import MappingProxyType
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from remit.errors import InvalidInput, MissingPrerequisite
from remit.measure.calibration import brier
from remit.observe.evaluator import Evaluator, Tree, calibrated

Values = NDArray[np.float64]
Knots = tuple[tuple[float, float], ...]

FOLDS: Final = 5
_LEAST: Final = 40
"""Drafts from which anything is fitted, and of which both outcomes have to be a tenth."""
_DIGITS: Final = 8
_CONSTANT: Final = 1e-6
"""Spread up to which a signal says nothing."""
_PLATT_KNOTS: Final = 33
_STRENGTHS: Final = (0.003, 0.01, 0.03, 0.1, 0.3, 1.0)
_TREES: Final[Mapping[str, Any]] = MappingProxyType(
    {"n_estimators": 80, "max_depth": 3, "learning_rate": 0.06, "subsample": 0.7, "min_samples_leaf": 12}
)


class Row(NamedTuple):
    """One draft to learn from: what to learn of it, and whether it could have been released.

    The two differ where evidence is there and an answer is not to be given all the same, as where it contradicts itself. The
    order of drafts is learned from the first; the probabilities are calibrated on the second.
    """

    signals: Mapping[str, float | None]
    shows: bool
    right: bool
    group: str


class Fitted(NamedTuple):
    """The evaluator, and the probability that it gives each row when its group was left out of the fit."""

    evaluator: Evaluator
    held_out: Values
    report: Mapping[str, Any]


def fold_of(group: str, folds: int = FOLDS) -> int:
    """Return the fold of a group: the same in every run, whatever else is in the set."""
    return int.from_bytes(hashlib.sha256(f"fold {group}".encode()).digest()[:4]) % folds


def fitted(rows: Sequence[Row], *, name: str, seed: int) -> Fitted:
    """Return the evaluator fitted to rows: the kind of model and of calibration that do best on groups left out.

    Raises:
        InvalidInput: there are too few rows, or nearly all have the same outcome.
        MissingPrerequisite: scikit-learn is not installed.
    """
    wanted = np.array([row.shows for row in rows], dtype=np.float64)
    right = np.array([row.right for row in rows], dtype=np.float64)
    if len(rows) < _LEAST or not len(rows) / 10 <= wanted.sum() <= len(rows) * 9 / 10:
        raise InvalidInput(f"{int(wanted.sum())} of {len(rows)} drafts are right: too few of a kind to learn from")
    data = _Data.of(rows)
    trials = {kind: _held_out(data, wanted, kind, seed) for kind in ("trees", *(f"linear {c}" for c in _STRENGTHS))}
    losses = {kind: _loss(scores, wanted) for kind, scores in trials.items()}
    best = min(losses, key=lambda kind: losses[kind])
    scores = trials[best]
    ways = {way: _calibrated_apart(way, scores, right, data.folds) for way in ("isotonic", "platt")}
    way = min(ways, key=lambda one: brier(ways[one], right))
    knots = _knots(way, scores, right)
    evaluator = _written(_model(data.standard, wanted, best, seed), data, name=name, knots=knots)
    report = {
        "model": best,
        "losses": losses,
        "calibration": way,
        "rows": len(rows),
        "shows": int(wanted.sum()),
        "right": int(right.sum()),
    }
    return Fitted(evaluator, ways[way], report)


class _Data(NamedTuple):
    """Signals as a matrix, standardised; what was not taken stands at its signal's mean."""

    names: tuple[str, ...]
    plain: Values
    center: Values
    scale: Values
    folds: NDArray[np.intp]

    @property
    def standard(self) -> Values:
        return (self.plain - self.center) / self.scale

    @classmethod
    def of(cls, rows: Sequence[Row]) -> _Data:
        names = tuple(sorted({name for row in rows for name in row.signals}))
        raw = np.array([[_number(row.signals.get(name)) for name in names] for row in rows], dtype=np.float64)
        known = ~np.isnan(raw)
        counts = np.maximum(known.sum(axis=0), 1)
        center = np.where(known, raw, 0.0).sum(axis=0) / counts
        plain = np.where(known, raw, center)
        scale = plain.std(axis=0)
        folds = np.array([fold_of(row.group) for row in rows], dtype=np.intp)
        return cls(names, plain, center, np.where(scale > _CONSTANT, scale, 1.0), folds)


def _number(value: float | None) -> float:
    return float("nan") if value is None else value


def _sklearn(module: str) -> Any:
    try:
        return import_module(f"sklearn.{module}")
    except ImportError as error:
        raise MissingPrerequisite("scikit-learn is not installed: pip install 'remit[lab]'") from error


def _model(data: Values, wanted: Values, kind: str, seed: int) -> Any:
    if kind == "trees":
        model = _sklearn("ensemble").GradientBoostingClassifier(random_state=seed, **_TREES)
    else:
        model = _sklearn("linear_model").LogisticRegression(C=float(kind.split()[1]), max_iter=2000)
    return model.fit(data, wanted)


def _held_out(data: _Data, wanted: Values, kind: str, seed: int) -> Values:
    """Return the score of each row by a model that was fitted without its fold."""
    scores = np.zeros(len(wanted))
    for fold in np.unique(data.folds):
        inside = data.folds == fold
        scores[inside] = _model(data.standard[~inside], wanted[~inside], kind, seed).decision_function(
            data.standard[inside]
        )
    return scores


def _loss(scores: Values, wanted: Values) -> float:
    """Return the mean log loss of scores as they are."""
    return float(np.mean(np.logaddexp(0.0, np.where(wanted > 0, -scores, scores))))


def _calibrated_apart(way: str, scores: Values, wanted: Values, folds: NDArray[np.intp]) -> Values:
    said = np.zeros(len(scores))
    for fold in np.unique(folds):
        inside = folds == fold
        knots = _knots(way, scores[~inside], wanted[~inside])
        said[inside] = [calibrated(float(score), knots) for score in scores[inside]]
    return said


def _knots(way: str, scores: Values, wanted: Values) -> Knots:
    if way == "isotonic":
        found = _sklearn("isotonic").IsotonicRegression(y_min=0.0, y_max=1.0, out_of_bounds="clip").fit(scores, wanted)
        places, shares = found.X_thresholds_, found.y_thresholds_
    else:
        found = _sklearn("linear_model").LogisticRegression(C=1e6).fit(scores[:, None], wanted)
        if found.coef_[0, 0] <= 0.0:  # the score says nothing of these rows: each is as likely as the share of them
            return ((0.0, round(float(wanted.mean()), _DIGITS)),)
        places = np.unique(np.quantile(scores, np.linspace(0.0, 1.0, _PLATT_KNOTS)))
        shares = found.predict_proba(places[:, None])[:, 1]
    knots: dict[float, float] = {}
    for place, share in zip(places, shares, strict=True):
        knots[round(float(place), _DIGITS)] = round(float(share), _DIGITS)
    return tuple(knots.items())


def _written(model: Any, data: _Data, *, name: str, knots: Knots) -> Evaluator:
    linear = hasattr(model, "coef_")
    return Evaluator(
        name=name,
        signals=data.names,
        center=_rounded(data.center),
        scale=_rounded(data.scale),
        weights=_rounded(model.coef_[0]) if linear else (0.0,) * len(data.names),
        bias=float(model.intercept_[0]) if linear else _start(model),
        trees=() if linear else tuple(_tree(one[0].tree_, model.learning_rate, data) for one in model.estimators_),
        knots=knots,
    )


def _start(model: Any) -> float:
    """Return the score that boosting starts from: the log odds of the share."""
    share = float(model.init_.class_prior_[1])
    return float(np.log(share / (1.0 - share)))


def _tree(tree: Any, rate: float, data: _Data) -> Tree:
    """Return a fitted tree with its thresholds in the signals' own units."""
    inner = tree.children_left >= 0
    place = np.where(inner, tree.feature, 0)
    at = np.where(inner, tree.threshold * data.scale[place] + data.center[place], 0.0)
    return Tree(
        signal=tuple(int(one) for one in np.where(inner, tree.feature, -1)),
        at=_rounded(at),
        left=tuple(int(one) for one in tree.children_left),
        right=tuple(int(one) for one in tree.children_right),
        value=_rounded(np.where(inner, 0.0, rate * tree.value[:, 0, 0])),
    )


def _rounded(values: Values) -> tuple[float, ...]:
    return tuple(round(float(value), _DIGITS) for value in values)
