"""A local causal language model that also says how likely a given reply is: what preference training needs."""

from __future__ import annotations

from remit.adapters.transformers import BATCH, TransformersChat, _prompt
from remit.errors import ProviderFailed
from remit.llm.cancel import Patience
from remit.llm.chat import Message


class CausalLm(TransformersChat):
    """The chat model of a folder, with the log-probability of any reply."""

    def log_probability(self, messages: tuple[Message, ...], reply: str, patience: Patience) -> float:
        """Return the natural log-probability of the tokens of `reply`, its end not counted.

        Raises:
            MissingPrerequisite: the extra or the weights are missing.
            ProviderFailed: prompt and reply are longer than the context, or the reply is empty.
            Cancelled: within one batch of tokens.
        """
        patience.check()
        with self._weights.turn(patience):
            torch, tokenizer, model = self._weights.loaded()
            prompt = _prompt(tokenizer, messages)
            said = list(tokenizer(reply, add_special_tokens=False)["input_ids"])
            if not said or len(prompt) + len(said) > self._context:
                raise ProviderFailed(f"{self.name}: the reply is empty, or longer than the context of {self._context}")
            tokens, total, past = [*prompt, *said], 0.0, None
            with torch.inference_mode():
                for start in range(0, len(tokens) - 1, BATCH):
                    patience.check()
                    batch = tokens[start : min(start + BATCH, len(tokens) - 1)]
                    out = model(torch.tensor([batch]), past_key_values=past, use_cache=True)
                    past, logs = out.past_key_values, torch.log_softmax(out.logits[0].float(), dim=-1)
                    for place in range(len(batch)):
                        following = start + place + 1
                        if following >= len(prompt):
                            total += float(logs[place, tokens[following]])
        return min(0.0, total)
