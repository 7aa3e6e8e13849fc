import functools
import math
from types import SimpleNamespace
from typing import NamedTuple

import torch
from torch import Tensor
