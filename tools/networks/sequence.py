"""Transformers, speech and diffusion networks, from configuration classes, narrower than real but as deep in kind."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tools.networks.net import Built, Net

_T = "transformers, from a configuration class, random weights, narrowed"
_D = "diffusers, from a configuration, random weights, narrowed"


def nets() -> list[Net]:
    """All of them; packages are imported when a network is built."""
    return [*_text(), *_decoders(), *_speech(), *_pictures(), *_diffusion()]


def _model(
    kind: str, config: str, inputs: Callable[[], tuple[Any, ...]], names: str, **options: Any
) -> Callable[[], Built]:
    """A transformers class with the named inputs, first tensor output (or all when a tuple)."""

    def build() -> Built:
        import torch
        import transformers

        attention = options.pop("attention", "eager")
        made = getattr(transformers, config)(**options)
        made._attn_implementation = attention
        net = getattr(transformers, kind)(made).eval()
        keys = names.split()

        class Out(torch.nn.Module):
            def __init__(self) -> None:
                super().__init__()
                self.net = net

            def forward(self, *args):
                extra = {"use_cache": False} if hasattr(made, "use_cache") else {}
                found = self.net(**dict(zip(keys, args, strict=True)), return_dict=False, **extra)
                return tuple(x for x in found if isinstance(x, torch.Tensor))

        return Out().eval(), inputs()

    return build


def _ids(length: int = 64) -> Any:
    import torch

    return torch.ones(1, length, dtype=torch.int64)


def _zeros(*shape: int) -> Any:
    import torch

    return torch.zeros(*shape)


def _encoder(kind: str, **options: Any) -> Callable[[], Built]:
    base = {"hidden_size": 192, "num_attention_heads": 4, "intermediate_size": 384, **options}
    return _model(
        f"{kind}Model", f"{kind}Config", lambda: (_ids(), _ids()), "input_ids attention_mask", **base
    )


def _headed(kind: str, config: str, layers: int, **options: Any) -> Callable[[], Built]:
    base = {
        "hidden_size": 192,
        "num_attention_heads": 4,
        "intermediate_size": 384,
        "num_hidden_layers": layers,
    }
    if options:
        base = {**options, "n_layers": layers}
    return _model(kind, config, lambda: (_ids(), _ids()), "input_ids attention_mask", **base)


def _sentence(layers: int, mean: bool) -> Callable[[], Built]:
    def build() -> Built:
        import torch
        import transformers

        made = transformers.BertConfig(
            hidden_size=192, num_attention_heads=4, intermediate_size=384, num_hidden_layers=layers
        )
        made._attn_implementation = "eager"
        net = transformers.BertModel(made, add_pooling_layer=False).eval()

        class Sentence(torch.nn.Module):
            def __init__(self) -> None:
                super().__init__()
                self.net = net

            def forward(self, ids, mask):
                state = self.net(input_ids=ids, attention_mask=mask).last_hidden_state
                if mean:
                    weight = mask.unsqueeze(-1).to(state.dtype)
                    state = (state * weight).sum(1) / weight.sum(1).clamp(min=1e-9)
                else:
                    state = state[:, 0]
                return torch.nn.functional.normalize(state, p=2.0, dim=1)

        return Sentence().eval(), (_ids(), _ids())

    return build


def _text() -> list[Net]:
    rows = [
        ("bert_base", "BERT", "build", _encoder("Bert", num_hidden_layers=12)),
        ("roberta_base", "BERT", "build", _encoder("Roberta", num_hidden_layers=12)),
        ("distilbert", "BERT", "build", _model("DistilBertModel", "DistilBertConfig", lambda: (_ids(), _ids()), "input_ids attention_mask", dim=192, n_heads=4, hidden_dim=384)),
        ("bert_sdpa", "BERT", "build", _encoder("Bert", num_hidden_layers=6, attention="sdpa")),
        ("bert_masked_6", "BERT", "build", _headed("BertForMaskedLM", "BertConfig", 6)),
        ("roberta_classifier_12", "BERT", "build", _headed("RobertaForSequenceClassification", "RobertaConfig", 12)),
        ("distilbert_answers", "BERT", "fresh", _headed("DistilBertForQuestionAnswering", "DistilBertConfig", 6, dim=192, n_heads=4, hidden_dim=384)),
        ("mpnet", "BERT", "fresh", _encoder("MPNet", num_hidden_layers=6)),
        ("electra_tokens", "BERT", "fresh", _headed("ElectraForTokenClassification", "ElectraConfig", 8)),
        ("roberta_answers_6", "BERT", "fresh", _headed("RobertaForQuestionAnswering", "RobertaConfig", 6)),
        ("bert_choice_3", "BERT", "fresh", _headed("BertForNextSentencePrediction", "BertConfig", 3)),
        ("bert_large", "BERT", "test", _encoder("Bert", num_hidden_layers=24)),
        ("electra_small", "BERT", "test", _encoder("Electra", num_hidden_layers=12, embedding_size=128)),
        ("albert_base", "BERT", "test", _encoder("Albert", num_hidden_layers=12)),
        ("bert_mini_classifier", "BERT", "test", _model("BertForSequenceClassification", "BertConfig", lambda: (_ids(), _ids()), "input_ids attention_mask", hidden_size=192, num_attention_heads=4, intermediate_size=384, num_hidden_layers=4)),
        ("bert_question", "BERT", "test", _model("BertForQuestionAnswering", "BertConfig", lambda: (_ids(), _ids()), "input_ids attention_mask", hidden_size=192, num_attention_heads=4, intermediate_size=384, num_hidden_layers=12)),
        ("xlm_roberta_ner", "BERT", "test", _model("XLMRobertaForTokenClassification", "XLMRobertaConfig", lambda: (_ids(), _ids()), "input_ids attention_mask", hidden_size=192, num_attention_heads=4, intermediate_size=384, num_hidden_layers=6, attention="sdpa")),
        ("deberta_v2", "BERT", "test", _encoder("DebertaV2", num_hidden_layers=6)),
        ("sentence_mean_12", "Embedding", "build", _sentence(12, True)),
        ("sentence_cls_6", "Embedding", "build", _sentence(6, False)),
        ("sentence_mean_6", "Embedding", "test", _sentence(6, True)),
        ("sentence_cls_24", "Embedding", "test", _sentence(24, False)),
        ("clip_text", "Embedding|BERT", "test", _model("CLIPTextModel", "CLIPTextConfig", lambda: (_ids(16),), "input_ids", hidden_size=192, num_attention_heads=4, intermediate_size=384)),
    ]  # fmt: skip
    return [Net(name, family, split, _T, build) for name, family, split, build in rows]


def _causal(kind: str, **options: Any) -> Callable[[], Built]:
    """A decoder with an explicit 4-D mask, as exporters of prefill graphs pass it."""
    base = {
        "hidden_size": 192, "num_attention_heads": 6, "intermediate_size": 384, "num_hidden_layers": 6,
        "vocab_size": 1000, **options,
    }  # fmt: skip

    def inputs() -> tuple[Any, ...]:
        import torch

        return _ids(), torch.zeros(1, 1, 64, 64)

    return _model(f"{kind}ForCausalLM", f"{kind}Config", inputs, "input_ids attention_mask", **base)


def _gpt2(layers: int) -> Callable[[], Built]:
    return _model(
        "GPT2LMHeadModel", "GPT2Config", lambda: (_ids(), _zeros(1, 1, 64, 64)), "input_ids attention_mask",
        n_embd=192, n_head=6, n_layer=layers, vocab_size=1000,
    )  # fmt: skip


def _decoders() -> list[Net]:
    grouped = {"num_key_value_heads": 2}
    rows = [
        ("llama_6", "LLM", "build", _causal("Llama", **grouped), False),
        ("qwen2_6", "LLM", "build", _causal("Qwen2", **grouped), False),
        ("gpt2_12", "LLM", "build", _gpt2(12), False),
        ("opt_6", "LLM", "build", _model("OPTForCausalLM", "OPTConfig", lambda: (_ids(), _ids()), "input_ids attention_mask", hidden_size=192, num_attention_heads=6, ffn_dim=384, num_hidden_layers=6, vocab_size=1000, word_embed_proj_dim=192), False),
        ("mistral_8", "LLM", "test", _causal("Mistral", num_hidden_layers=8, **grouped), False),
        ("qwen3_6", "LLM", "test", _causal("Qwen3", head_dim=32, **grouped), False),
        ("llama_24_sdpa", "LLM", "test", _causal("Llama", num_hidden_layers=24, attention="sdpa"), False),
        ("qwen2_2_dynamo", "LLM", "test", _causal("Qwen2", num_hidden_layers=2, **grouped), True),
        ("gpt2_24", "LLM", "test", _gpt2(24), False),
        ("gemma_6", "LLM", "test", _causal("Gemma", head_dim=32, **grouped), False),
        ("phi_6", "LLM", "test", _causal("Phi"), False),
        ("gpt_neox_6", "LLM", "test", _causal("GPTNeoX"), False),
        ("bloom_6", "LLM", "test", _model("BloomForCausalLM", "BloomConfig", lambda: (_ids(), _ids()), "input_ids attention_mask", hidden_size=192, n_head=6, n_layer=6, vocab_size=1000), False),
        ("starcoder2_4", "LLM", "fresh", _causal("Starcoder2", num_hidden_layers=4, **grouped), False),
        ("qwen2_12", "LLM", "fresh", _causal("Qwen2", num_hidden_layers=12, **grouped), False),
        ("stablelm_6", "LLM", "fresh", _causal("StableLm", **grouped), False),
        ("mistral_2_sdpa", "LLM", "fresh", _causal("Mistral", num_hidden_layers=2, attention="sdpa", **grouped), False),
    ]  # fmt: skip
    return [Net(name, family, split, _T, build, dynamo=dynamo) for name, family, split, build, dynamo in rows]


def _whisper_encoder(layers: int) -> Callable[[], Built]:
    def build() -> Built:
        import transformers

        made = transformers.WhisperConfig(
            d_model=192,
            encoder_layers=layers,
            encoder_attention_heads=6,
            encoder_ffn_dim=384,
            decoder_layers=1,
        )
        made._attn_implementation = "eager"
        net = transformers.WhisperModel(made).eval().encoder
        net.config.return_dict = False
        return net, (_zeros(1, 80, 3000),)

    return build


def _whisper_decoder(layers: int) -> Callable[[], Built]:
    return _model(
        "WhisperForConditionalGeneration", "WhisperConfig",
        lambda: (_zeros(1, 80, 3000), _ids(8)), "input_features decoder_input_ids",
        d_model=192, encoder_layers=layers, decoder_layers=layers, encoder_attention_heads=6, decoder_attention_heads=6,
        encoder_ffn_dim=384, decoder_ffn_dim=384, vocab_size=51865,
    )  # fmt: skip


def _wave(kind: str, **options: Any) -> Callable[[], Built]:
    base = {
        "hidden_size": 192,
        "num_attention_heads": 6,
        "intermediate_size": 384,
        "num_hidden_layers": 6,
        **options,
    }
    return _model(f"{kind}ForCTC", f"{kind}Config", lambda: (_zeros(1, 16000),), "input_values", **base)


def _speech() -> list[Net]:
    rows = [
        ("whisper_encoder_4", "ASR", "build", _whisper_encoder(4)),
        ("wav2vec2_6", "ASR", "build", _wave("Wav2Vec2")),
        ("whisper_encoder_6", "ASR", "test", _whisper_encoder(6)),
        ("whisper_encoder_24", "ASR", "test", _whisper_encoder(24)),
        ("whisper_full_4", "ASR", "build", _whisper_decoder(4)),
        ("whisper_full_6", "ASR", "test", _whisper_decoder(6)),
        ("wav2vec2_12", "ASR", "test", _wave("Wav2Vec2", num_hidden_layers=12)),
        ("hubert_6", "ASR", "test", _wave("Hubert")),
        ("wavlm_6", "ASR", "test", _wave("WavLM")),
        ("sew_6", "ASR", "test", _wave("SEW")),
        ("vits", "TTS", "build", _model("VitsModel", "VitsConfig", lambda: (_ids(16),), "input_ids")),
        ("speecht5_hifigan", "TTS", "build", _vocoder("SpeechT5HifiGan", "SpeechT5HifiGanConfig")),
        ("hifigan_256", "TTS", "test", _vocoder("SpeechT5HifiGan", "SpeechT5HifiGanConfig", upsample_initial_channel=256, resblock_kernel_sizes=[3, 5, 7])),
        ("fastspeech2_conformer", "TTS", "test", _model("FastSpeech2ConformerModel", "FastSpeech2ConformerConfig", lambda: (_ids(16),), "input_ids", hidden_size=192)),
    ]  # fmt: skip
    return [Net(name, family, split, _T, build, dynamo="full" in name) for name, family, split, build in rows]


def _vocoder(kind: str, config: str, **options: Any) -> Callable[[], Built]:
    def build() -> Built:
        import transformers

        made = getattr(transformers, config)(**{"upsample_initial_channel": 128, **options})
        return getattr(transformers, kind)(made).eval(), (_zeros(1, 40, 80),)

    return build


def _picture(kind: str, config: str, size: int = 224, **options: Any) -> Callable[[], Built]:
    return _model(kind, config, lambda: (_zeros(1, 3, size, size),), "pixel_values", **options)


def _sam(layers: int) -> Callable[[], Built]:
    def build() -> Built:
        import transformers

        vision = transformers.SamVisionConfig(
            hidden_size=192, num_hidden_layers=layers, num_attention_heads=6, image_size=512,
            global_attn_indexes=[layers // 2 - 1, layers - 1],
        )  # fmt: skip
        made = transformers.SamConfig(vision_config=vision.to_dict())
        made._attn_implementation = "eager"
        net = transformers.SamModel(made).eval().vision_encoder
        net.config.return_dict = False
        return net, (_zeros(1, 3, 512, 512),)

    return build


def _pictures() -> list[Net]:
    narrow = {"hidden_size": 192, "num_attention_heads": 6, "intermediate_size": 384}
    rows = [
        ("vit_transformers", "ViT", "test", _picture("ViTForImageClassification", "ViTConfig", **narrow)),
        ("dinov2", "ViT", "test", _picture("Dinov2Model", "Dinov2Config", image_size=224, **narrow)),
        ("clip_vision", "ViT", "test", _picture("CLIPVisionModel", "CLIPVisionConfig", **narrow)),
        ("siglip_vision", "ViT", "build", _picture("SiglipVisionModel", "SiglipVisionConfig", **narrow)),
        ("swin_transformers", "Swin", "test", _picture("SwinModel", "SwinConfig", embed_dim=48)),
        ("resnet_transformers", "ResNet", "test", _picture("ResNetForImageClassification", "ResNetConfig")),
        ("segformer_transformers", "Segmentation", "test", _picture("SegformerForSemanticSegmentation", "SegformerConfig", 256)),
        ("upernet_convnext", "Segmentation", "test", _picture("UperNetForSemanticSegmentation", "UperNetConfig", 192)),
        ("detr_r50", "Detection", "build", _picture("DetrForObjectDetection", "DetrConfig", 320, use_timm_backbone=False, use_pretrained_backbone=False, backbone=None, backbone_config={"model_type": "resnet", "out_features": ["stage4"]})),
        ("conditional_detr", "Detection", "test", _picture("ConditionalDetrForObjectDetection", "ConditionalDetrConfig", 320, use_timm_backbone=False, use_pretrained_backbone=False, backbone=None, backbone_config={"model_type": "resnet", "out_features": ["stage4"]})),
        ("yolos_tiny", "Detection|ViT|YOLO", "test", _picture("YolosForObjectDetection", "YolosConfig", 512, image_size=[512, 512], **narrow)),
        ("swin2sr_x2", "SuperResolution", "test", _picture("Swin2SRForImageSuperResolution", "Swin2SRConfig", 64, embed_dim=60)),
        ("sam_encoder_12", "SAM", "build", _sam(12)),
        ("sam_encoder_24", "SAM", "test", _sam(24)),
        ("sam_encoder_8", "SAM", "test", _sam(8)),
        ("trocr_vision", "ViT", "test", _picture("DeiTModel", "DeiTConfig", **narrow)),
    ]  # fmt: skip
    return [Net(name, family, split, _T, build) for name, family, split, build in rows]


def _diffuser(kind: str, inputs: Callable[[], dict[str, Any]], **options: Any) -> Callable[[], Built]:
    def build() -> Built:
        import diffusers
        import torch

        net = getattr(diffusers, kind)(**options).eval()
        if hasattr(net, "set_attn_processor") and kind.startswith("UNet"):
            net.set_default_attn_processor()
        every = inputs()
        found = {key: value for key, value in every.items() if isinstance(value, torch.Tensor)}
        fixed = {key: value for key, value in every.items() if key not in found}

        class Out(torch.nn.Module):
            def __init__(self) -> None:
                super().__init__()
                self.net = net

            def forward(self, *args):
                return self.net(**dict(zip(found, args, strict=True)), **fixed, return_dict=False)[0]

        return Out().eval(), tuple(found.values())

    return build


def _step() -> Any:
    import torch

    return torch.ones(1, dtype=torch.int64)


def _unet(down: str, cross: int = 64, **options: Any) -> Callable[[], Built]:
    letters = {"C": ("CrossAttnDownBlock2D", "CrossAttnUpBlock2D"), "D": ("DownBlock2D", "UpBlock2D")}
    return _diffuser(
        "UNet2DConditionModel",
        lambda: {
            "sample": _zeros(1, 4, 32, 32),
            "timestep": _step(),
            "encoder_hidden_states": _zeros(1, 77, cross),
        },
        block_out_channels=tuple(32 * (2 ** min(i, 2)) for i in range(len(down))),
        down_block_types=tuple(letters[x][0] for x in down),
        up_block_types=tuple(letters[x][1] for x in reversed(down)),
        cross_attention_dim=cross,
        **options,
    )


def _diffusion() -> list[Net]:
    def text(n: int = 64) -> Any:
        return _zeros(1, 16, n)

    video = {"num_attention_heads": 4, "attention_head_dim": 32}
    rows = [
        ("sd15_unet", "StableDiffusion", "build", _unet("CCCD", attention_head_dim=8)),
        ("sdxl_unet", "StableDiffusion", "test", _unet("DCC", attention_head_dim=(1, 2, 4), transformer_layers_per_block=(1, 2, 10), use_linear_projection=True)),
        ("sd21_unet", "StableDiffusion", "test", _unet("CCCD", attention_head_dim=(1, 2, 4, 4), use_linear_projection=True)),
        ("sd3", "StableDiffusion", "build", _diffuser("SD3Transformer2DModel", lambda: {"hidden_states": _zeros(1, 16, 32, 32), "encoder_hidden_states": text(), "pooled_projections": _zeros(1, 64), "timestep": _step()}, sample_size=32, num_layers=6, attention_head_dim=32, num_attention_heads=4, joint_attention_dim=64, caption_projection_dim=128, pooled_projection_dim=64, pos_embed_max_size=32)),
        ("sd35", "StableDiffusion", "test", _diffuser("SD3Transformer2DModel", lambda: {"hidden_states": _zeros(1, 16, 32, 32), "encoder_hidden_states": text(), "pooled_projections": _zeros(1, 64), "timestep": _step()}, sample_size=32, num_layers=12, attention_head_dim=32, num_attention_heads=4, joint_attention_dim=64, caption_projection_dim=128, pooled_projection_dim=64, pos_embed_max_size=32, qk_norm="rms_norm")),
        ("pixart", "StableDiffusion", "build", _diffuser("PixArtTransformer2DModel", lambda: {"hidden_states": _zeros(1, 4, 32, 32), "encoder_hidden_states": text(), "timestep": _step()}, num_attention_heads=4, attention_head_dim=32, num_layers=8, sample_size=32, caption_channels=64, cross_attention_dim=128, use_additional_conditions=False)),
        ("dit_12", "StableDiffusion", "test", _diffuser("DiTTransformer2DModel", lambda: {"hidden_states": _zeros(1, 4, 32, 32), "timestep": _step(), "class_labels": _step()}, num_attention_heads=4, attention_head_dim=32, num_layers=12)),
        ("flux", "StableDiffusion", "test", _diffuser("FluxTransformer2DModel", lambda: {"hidden_states": _zeros(1, 64, 64), "encoder_hidden_states": text(), "pooled_projections": _zeros(1, 64), "timestep": _step(), "img_ids": _zeros(64, 3), "txt_ids": _zeros(16, 3)}, num_layers=4, num_single_layers=8, attention_head_dim=32, num_attention_heads=4, joint_attention_dim=64, pooled_projection_dim=64, axes_dims_rope=(8, 12, 12))),
        ("vae_decoder", "StableDiffusion", "build", _vae("decode")),
        ("vae_encoder", "StableDiffusion", "test", _vae("encode")),
        ("ddpm_unet2d", "StableDiffusion|UNet", "test", _diffuser("UNet2DModel", lambda: {"sample": _zeros(1, 3, 32, 32), "timestep": _step()}, block_out_channels=(32, 64, 64, 128), norm_num_groups=16, attention_head_dim=8)),
        ("cogvideox", "VideoDiffusion", "build", _diffuser("CogVideoXTransformer3DModel", lambda: {"hidden_states": _zeros(1, 3, 16, 16, 16), "encoder_hidden_states": text(), "timestep": _step()}, **video, num_layers=6, text_embed_dim=64, sample_width=16, sample_height=16, sample_frames=9, max_text_seq_length=16)),
        ("wan", "VideoDiffusion", "build", _diffuser("WanTransformer3DModel", lambda: {"hidden_states": _zeros(1, 16, 3, 16, 16), "timestep": _step(), "encoder_hidden_states": text()}, **video, num_layers=6, text_dim=64, ffn_dim=256)),
        ("ltx_video", "VideoDiffusion", "test", _diffuser("LTXVideoTransformer3DModel", lambda: {"hidden_states": _zeros(1, 48, 32), "encoder_hidden_states": text(), "timestep": _step(), "encoder_attention_mask": _ids(16), "num_frames": _n(3), "height": _n(4), "width": _n(4)}, **video, in_channels=32, out_channels=32, num_layers=6, cross_attention_dim=128, caption_channels=64)),
        ("latte", "VideoDiffusion", "test", _diffuser("LatteTransformer3DModel", lambda: {"hidden_states": _zeros(1, 4, 4, 16, 16), "timestep": _step(), "encoder_hidden_states": text()}, **video, num_layers=4, in_channels=4, out_channels=8, patch_size=2, sample_size=16, cross_attention_dim=128, caption_channels=64, video_length=4, activation_fn="gelu-approximate", norm_type="ada_norm_single", norm_elementwise_affine=False, num_embeds_ada_norm=1000)),
        ("wan_12", "VideoDiffusion", "test", _diffuser("WanTransformer3DModel", lambda: {"hidden_states": _zeros(1, 16, 3, 16, 16), "timestep": _step(), "encoder_hidden_states": text()}, **video, num_layers=12, text_dim=64, ffn_dim=256)),
        ("svd_unet", "VideoDiffusion", "test", _diffuser("UNetSpatioTemporalConditionModel", lambda: {"sample": _zeros(1, 4, 8, 16, 16), "timestep": _step(), "encoder_hidden_states": _zeros(1, 1, 64), "added_time_ids": _zeros(1, 3)}, block_out_channels=(32, 64, 64, 64), num_attention_heads=(1, 2, 2, 2), cross_attention_dim=64, addition_time_embed_dim=32, projection_class_embeddings_input_dim=96, num_frames=4)),
        ("unet3d_condition", "VideoDiffusion", "build", _diffuser("UNet3DConditionModel", lambda: {"sample": _zeros(1, 4, 4, 32, 32), "timestep": _step(), "encoder_hidden_states": _zeros(1, 16, 64)}, block_out_channels=(32, 64, 64, 64), cross_attention_dim=64, attention_head_dim=8)),
    ]  # fmt: skip
    return [Net(name, family, split, _D, build) for name, family, split, build in rows]


def _n(value: int) -> Any:
    return value


def _vae(part: str) -> Callable[[], Built]:
    def build() -> Built:
        import diffusers
        import torch

        net = diffusers.AutoencoderKL(
            block_out_channels=(32, 64, 64, 64), layers_per_block=2, latent_channels=4,
            down_block_types=("DownEncoderBlock2D",) * 4, up_block_types=("UpDecoderBlock2D",) * 4,
        ).eval()  # fmt: skip

        class Out(torch.nn.Module):
            def __init__(self) -> None:
                super().__init__()
                self.net = net

            def forward(self, x):
                if part == "decode":
                    return self.net.decoder(self.net.post_quant_conv(x))
                return self.net.quant_conv(self.net.encoder(x))

        return Out().eval(), (_zeros(1, 4, 16, 16) if part == "decode" else _zeros(1, 3, 64, 64),)

    return build
