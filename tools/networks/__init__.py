"""Networks for the recogniser of families: what to build, how to export it, what was found inside packages.

Runs by hand, outside the tests, in an environment of its own with torch, torchvision, timm, transformers, diffusers,
ultralytics and onnx. Weights are random, graphs are what counts.
"""
