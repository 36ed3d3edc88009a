# Tiny shakespeare by five minutes on two CPU cores of 235 GFLOP/s together. (--minutes 5 now takes a
# smaller model and more updates.) What was tried: tests/recipes/README.md.
#
#     make shakespeare
#     ./gradus train data/tinyshakespeare.txt --config train/configs/shakespeare_char_5_minutes.py

# The model: 2.7 million parameters.
arch = 'qwen3'
block_size = 256
n_layer = 6
n_head = 6
n_embd = 192
dropout = 0.0
init_std = 0.04
dtype = 'float32'

# The optimizer.
optimizer = 'muon'
momentum = 0.9
beta1 = 0.9
beta2 = 0.99
weight_decay = 0.1
grad_clip = 1.0

# The schedule: 1.3 million tokens.
batches = 'shuffled'
batch_size = 8
gradient_accumulation_steps = 1
max_iters = 658
learning_rate = 5e-3
lr_schedule = 'linear'
min_lr = 0
warmup_iters = 100
lr_decay_iters = 658

# The reports: the whole validation text.
eval_interval = 329
eval_iters = 0
