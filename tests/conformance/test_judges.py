"""Both judges of entailment keep what every judge promises."""

import pytest

from remit.answer.judges import ChatJudge, EncoderJudge
from remit.errors import ProviderFailed
from remit.llm.scripted import ScriptedChat, ScriptedEncode, SharedWords
from remit.testing import JudgeSuite


class TestChatJudge(JudgeSuite):
    @pytest.fixture
    def judge(self):
        """Return one whose model finds months and nothing else."""
        return ChatJudge(ScriptedChat([lambda said: "YES" if "ANSWER: every 12" in said[-1].text else "No."] * 10))

    @pytest.fixture
    def mute(self):
        """Return one whose model says more than a word."""
        return ChatJudge(ScriptedChat(["YES and NO", "Supported: YES"]))

    @pytest.fixture
    def failing(self):
        """Return one whose backend fails."""
        return ChatJudge(ScriptedChat([ProviderFailed("down: start it")] * 4))


class TestEncoderJudge(JudgeSuite):
    @pytest.fixture
    def judge(self):
        """Return one that compares words."""
        return EncoderJudge(SharedWords(), threshold=0.5)

    @pytest.fixture
    def mute(self):
        """Return one whose numbers are none."""
        return EncoderJudge(ScriptedEncode([[float("nan")] * 2] * 2), threshold=0.5)

    @pytest.fixture
    def failing(self):
        """Return one whose backend fails."""
        return EncoderJudge(ScriptedEncode([ProviderFailed("down: start it")] * 4), threshold=0.5)
