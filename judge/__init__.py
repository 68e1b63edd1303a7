"""Clip intake, training clips and faults, the network, its training, its card, and other judges."""

from .judge import Judge as Judge
from .network_judge import NetworkJudge as NetworkJudge
from .network_judge import load_judge as load_judge
from .verdict import UNREADABLE_REASONS as UNREADABLE_REASONS
from .verdict import Verdict as Verdict
