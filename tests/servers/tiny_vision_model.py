"""A vision-language model with random weights, made from code alone: `python tiny_vision_model.py FOLDER`.

It answers nonsense, but it takes pictures, several of them and in order, as a trained one does. Needs torch,
transformers, tokenizers and Pillow, in an environment of their own; nothing is downloaded.
"""

from __future__ import annotations

import string
import sys
from pathlib import Path
from typing import Any

SIDE = 56
PATCH = 14
TOKENS_OF_A_PICTURE = (SIDE // PATCH) ** 2 + 1
"""One for every patch and one for the whole, as the processor is told to count them."""

VOCABULARY = 400
CONTEXT = 4096

# A picture becomes tokens where it stands in the message, so its place and its order reach the model.
TEMPLATE = (
    "{% for message in messages %}{{ message['role'] }}: "
    "{% for part in message['content'] %}"
    "{% if part['type'] == 'image' %}<image>{% else %}{{ part['text'] }}{% endif %}"
    "{% endfor %}\n{% endfor %}"
    "{% if add_generation_prompt %}assistant:{% endif %}"
)
SENTENCES = (
    "Answer: A", "Answer: B", "Answer: C", "Answer: D",
    "Which of these statements describes a difference between image A and image B?",
    "Choose the best of the options A, B, C or D. There is no difference between the two images.",
)  # fmt: skip


def build(folder: Path) -> None:
    """Write the model, its tokenizer, processor and chat template into `folder`."""
    tokenizer = _tokenizer()
    _processor(tokenizer).save_pretrained(folder)
    _model(tokenizer).save_pretrained(folder)


# `Any` from here on: types of packages that the environment of the tests does not have.
def _tokenizer() -> Any:
    from tokenizers import (  # type: ignore[import-not-found]  # not in the environment of the tests
        Tokenizer,
        decoders,
        models,
        pre_tokenizers,
        trainers,
    )
    from transformers import PreTrainedTokenizerFast  # type: ignore[import-not-found]  # as above

    trained = Tokenizer(models.BPE(unk_token="<unk>"))
    trained.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    trained.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=VOCABULARY,
        special_tokens=["<unk>", "<s>", "</s>", "<pad>", "<image>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    trained.train_from_iterator([*SENTENCES, string.printable], trainer)
    return PreTrainedTokenizerFast(
        tokenizer_object=trained, unk_token="<unk>", bos_token="<s>", eos_token="</s>", pad_token="<pad>"
    )  # fmt: skip


def _processor(tokenizer: Any) -> Any:
    from transformers import CLIPImageProcessorPil, LlavaProcessor

    square = {"height": SIDE, "width": SIDE}
    return LlavaProcessor(
        image_processor=CLIPImageProcessorPil(size=square, crop_size=square),
        tokenizer=tokenizer,
        patch_size=PATCH,
        vision_feature_select_strategy="full",
        num_additional_image_tokens=1,
        chat_template=TEMPLATE,
    )


def _model(tokenizer: Any) -> Any:
    import torch  # type: ignore[import-not-found]  # as above
    from transformers import CLIPVisionConfig, LlamaConfig, LlavaConfig, LlavaForConditionalGeneration

    torch.manual_seed(0)
    small = {"hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 2, "num_attention_heads": 4}
    special = {"bos_token_id": tokenizer.bos_token_id, "eos_token_id": tokenizer.eos_token_id,
               "pad_token_id": tokenizer.pad_token_id}  # fmt: skip
    model = LlavaForConditionalGeneration(
        LlavaConfig(
            vision_config=CLIPVisionConfig(**small, image_size=SIDE, patch_size=PATCH),
            text_config=LlamaConfig(
                **small, **special, vocab_size=len(tokenizer), max_position_embeddings=CONTEXT,
                num_key_value_heads=4, initializer_range=0.5,
            ),
            image_token_index=tokenizer.convert_tokens_to_ids("<image>"),
            image_seq_length=TOKENS_OF_A_PICTURE,
            vision_feature_select_strategy="full",
            vision_feature_layer=-1,
        )
    )  # fmt: skip
    model.generation_config.update(**special)
    # Random weights never find an end; from the 8th token on, this one becomes ever more likely.
    model.generation_config.exponential_decay_length_penalty = (8, 1.5)
    return model


if __name__ == "__main__":
    build(Path(sys.argv[1]))
