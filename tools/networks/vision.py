"""Vision networks of torchvision, timm, segmentation-models-pytorch and ultralytics."""

from __future__ import annotations

from collections.abc import Callable

from tools.networks.net import Built, Net, table

_TORCHVISION = """
ResNet build resnet18 resnet50 resnet101 wide_resnet50_2 resnext50_32x4d regnet_y_400mf regnet_x_1_6gf
ResNet test resnet34 resnet152+dynamic wide_resnet101_2 resnext101_32x8d regnet_y_1_6gf regnet_x_400mf
VGG build vgg16 vgg11_bn alexnet
VGG test vgg13 vgg19_bn vgg19
DenseNet build densenet121 densenet201
DenseNet test densenet161 densenet169+dynamic
Inception build googlenet inception_v3
MobileNet build mobilenet_v2 mobilenet_v3_large mnasnet1_0 shufflenet_v2_x1_0 squeezenet1_1
MobileNet test mobilenet_v3_small mnasnet0_5 shufflenet_v2_x0_5+dynamic squeezenet1_0
EfficientNet build efficientnet_b0 efficientnet_b3 efficientnet_v2_s
EfficientNet test efficientnet_b1+dynamic efficientnet_b2 efficientnet_b5 efficientnet_v2_m
ConvNeXt build convnext_tiny
ConvNeXt test convnext_small convnext_base
ViT build vit_b_16
ViT test vit_b_32 vit_l_16
Swin build swin_t swin_v2_t
Swin test swin_s swin_v2_s
"""
_TV_SEGMENTATION = """
Segmentation build fcn_resnet50 deeplabv3_resnet50 lraspp_mobilenet_v3_large
Segmentation test deeplabv3_mobilenet_v3_large fcn_resnet101 deeplabv3_resnet101+dynamic
"""
_TV_DETECTION = """
FasterRCNN build fasterrcnn_resnet50_fpn maskrcnn_resnet50_fpn
FasterRCNN test fasterrcnn_mobilenet_v3_large_fpn fasterrcnn_resnet50_fpn_v2
SSD build ssd300_vgg16
SSD test ssdlite320_mobilenet_v3_large
Detection build retinanet_resnet50_fpn
Detection test fcos_resnet50_fpn retinanet_resnet50_fpn_v2
"""
_TIMM = """
ResNet build skresnet50 res2net50_26w_4s cspresnext50 seresnet50 resnest50d ese_vovnet39b
ResNet test skresnet34 res2net101_26w_4s cspresnet50 seresnet33ts resnet50d ese_vovnet19b_dw seresnext26d_32x4d ecaresnet26t
DenseNet build densenetblur121d
DenseNet test densenet264d
Inception build inception_v4
Inception test inception_resnet_v2
MobileNet build ghostnet_100 mobilenetv1_100 mobilenetv4_conv_small fbnetc_100
MobileNet test ghostnet_130 mobilenetv2_140 mobilenetv3_large_100 mobilenetv4_conv_medium mobilenetv1_125 fbnetv3_b hardcorenas_a lcnet_075
EfficientNet build tf_efficientnet_b0 tf_efficientnetv2_b0
EfficientNet test tf_efficientnet_b4 tf_efficientnetv2_s efficientnet_b2_pruned gc_efficientnetv2_rw_t
ConvNeXt build convnextv2_atto convnext_pico
ConvNeXt test convnextv2_tiny convnext_nano+dynamic
NASNet build pnasnet5large
NASNet test nasnetalarge
ViT build vit_tiny_patch16_224 deit_small_patch16_224 beit_base_patch16_224
ViT test vit_small_patch16_224 deit_base_patch16_224 deit3_small_patch16_224 vit_small_patch14_dinov2 cait_xxs24_224 eva02_tiny_patch14_224 vit_base_patch16_clip_224 beitv2_base_patch16_224
Swin build swin_tiny_patch4_window7_224
Swin test swin_small_patch4_window7_224 swinv2_cr_tiny_224 swin_base_patch4_window7_224 swinv2_tiny_window8_256
HRNet build hrnet_w18_small hrnet_w32
HRNet test hrnet_w18 hrnet_w18_small_v2 hrnet_w40
SAM build samvit_base_patch16
"""
_SMP = """
UNet build Unet/resnet34 UnetPlusPlus/resnet18
UNet test Unet/resnet18 Unet/mobilenet_v2 UnetPlusPlus/resnet34 Unet/efficientnet-b0 Unet/vgg16_bn
Segmentation build FPN/resnet34 PSPNet/resnet34 DeepLabV3Plus/resnet34 PAN/resnet34 Segformer/mit_b0
Segmentation test FPN/mobilenet_v2 PSPNet/resnet50 DeepLabV3Plus/mobilenet_v2 UPerNet/resnet34 Segformer/mit_b1 DeepLabV3/resnet34
"""
_ULTRALYTICS = """
YOLO build yolov3 yolov5s yolov8n yolov8m yolov9t yolov10n yolo11n yolo12n yolo26n yolov6n yolov3-tiny yolov8n-seg yolo11n-pose yolov8n-obb
YOLO test yolov5n yolov5m yolov8s yolov8x+dynamic yolov9s yolov9c yolov10s yolo11s yolo11l yolo12s yolo26s yolov6s yolov3-spp yolov8s-seg yolov8n-pose yolo11n-seg yolo11n-obb yolov8n-p6 yolov8n-ghost yolov5n-p6
Detection build rtdetr-l
Detection test rtdetr-resnet50
"""


_FRESH_TORCHVISION = """
ResNet fresh regnet_y_800mf regnet_x_800mf
VGG fresh vgg16_bn vgg11
MobileNet fresh mnasnet0_75 shufflenet_v2_x1_5
EfficientNet fresh efficientnet_b4
"""
_FRESH_TIMM = """
ResNet fresh resnet26t resnetrs50 seresnext50_32x4d
EfficientNet fresh tf_efficientnet_b1 efficientnet_el
MobileNet fresh mobilenetv3_small_100 mobilenetv2_050
ViT fresh deit_tiny_patch16_224 vit_tiny_r_s16_p8_224
ConvNeXt fresh convnext_atto
Swin fresh swin_s3_tiny_224
HRNet fresh hrnet_w30
"""
_FRESH_SMP = """
UNet fresh Unet/densenet121 UnetPlusPlus/mobilenet_v2
Segmentation fresh DeepLabV3Plus/efficientnet-b0 FPN/resnet18 PAN/mobilenet_v2
"""
_FRESH_ULTRALYTICS = """
YOLO fresh yolov5l yolov8m-seg yolov8s-pose yolov9m yolo11m yolo26n-seg yolo12n-seg yolov10m
"""


def nets() -> list[Net]:
    """All of them; packages are imported when a network is built."""
    return [
        *table(_TORCHVISION, _torchvision, "torchvision, random weights"),
        *table(_TV_SEGMENTATION, _segmentation, "torchvision, random weights"),
        *table(_TV_DETECTION, _detection, "torchvision, random weights"),
        *table(_TIMM, _timm, "timm, random weights"),
        *table(_SMP, _smp, "segmentation-models-pytorch, random weights"),
        *table(_FRESH_TORCHVISION, _torchvision, "torchvision, random weights"),
        *table(_FRESH_TIMM, _timm, "timm, random weights"),
        *table(_FRESH_SMP, _smp, "segmentation-models-pytorch, random weights"),
        *table(_FRESH_ULTRALYTICS, _ultralytics, "ultralytics, from its yaml file, random weights"),
        *table(_ULTRALYTICS, _ultralytics, "ultralytics, from its yaml file, random weights"),
    ]


def _image(size: int = 224, batch: int = 1):
    import torch

    return torch.zeros(batch, 3, size, size)


def _torchvision(name: str) -> Callable[[], Built]:
    def build() -> Built:
        import torchvision

        options = {"init_weights": False} if name in ("googlenet", "inception_v3") else {}
        size = 299 if name == "inception_v3" else 224
        return torchvision.models.get_model(name, weights=None, **options).eval(), (_image(size),)

    return build


def _segmentation(name: str) -> Callable[[], Built]:
    def build() -> Built:
        import torch
        import torchvision

        class Out(torch.nn.Module):
            def __init__(self) -> None:
                super().__init__()
                self.net = torchvision.models.get_model(name, weights=None, weights_backbone=None)

            def forward(self, x):
                return self.net(x)["out"]

        return Out().eval(), (_image(256),)

    return build


def _detection(name: str) -> Callable[[], Built]:
    def build() -> Built:
        import torch
        import torchvision

        net = torchvision.models.get_model(name, weights=None, weights_backbone=None).eval()

        class Out(torch.nn.Module):
            def __init__(self) -> None:
                super().__init__()
                self.net = net

            def forward(self, x):
                return tuple(self.net([x])[0].values())

        return Out().eval(), (torch.rand(3, 320, 320),)

    return build


def _timm(name: str) -> Callable[[], Built]:
    def build() -> Built:
        import timm

        net = timm.create_model(name, pretrained=False, exportable=True).eval()
        _, height, _ = net.default_cfg["input_size"]
        if name.startswith("samvit"):
            net = timm.create_model(name, pretrained=False, exportable=True, img_size=512).eval()
            height = 512
        return net, (_image(height),)

    return build


def _smp(name: str) -> Callable[[], Built]:
    def build() -> Built:
        import segmentation_models_pytorch as smp

        shape, _, encoder = name.partition("/")
        return getattr(smp, shape)(encoder_name=encoder, encoder_weights=None).eval(), (
            _image(192),
        )  # divisible by the pyramid's 6 bins

    return build


def _ultralytics(name: str) -> Callable[[], Built]:
    def build() -> Built:
        from ultralytics import RTDETR, YOLO

        kind = RTDETR if name.startswith("rtdetr") else YOLO
        net = kind(f"{name}.yaml").model.eval()
        net.fuse()
        for module in net.modules():
            if type(module).__name__ in (
                "Detect",
                "Segment",
                "Pose",
                "OBB",
                "v10Detect",
                "RTDETRDecoder",
            ) or hasattr(module, "export"):
                module.export = True
                module.format = "onnx"
                module.dynamic = False
        return net, (_image(320),)

    return build
