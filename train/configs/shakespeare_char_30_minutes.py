# Tiny shakespeare as well as half an hour on two CPU cores of 235 GFLOP/s together allows (17 minutes
# on cores of 400): a model of Qwen3's architecture trained by Muon. nanoGPT's own page gives 1.4697 for
# its GPU settings. What was tried for these: tests/recipes/README.md.
#
#     make shakespeare
#     ./gradus train data/tinyshakespeare.txt --config train/configs/shakespeare_char_30_minutes.py

# The model: 4.8 million parameters.
arch = 'qwen3'
block_size = 256
n_layer = 6
n_head = 8
n_embd = 256
dropout = 0.1
init_std = 0.04
dtype = 'float32'

# The optimizer.
optimizer = 'muon'
momentum = 0.9
beta1 = 0.9
beta2 = 0.99
weight_decay = 0.1
grad_clip = 1.0

# The schedule: 6.1 million tokens, the text six times.
batches = 'shuffled'
batch_size = 8
gradient_accumulation_steps = 1
max_iters = 3000
learning_rate = 4e-3
lr_schedule = 'linear'
min_lr = 0
warmup_iters = 100
lr_decay_iters = 3000

# The reports: the whole validation text.
eval_interval = 1000
eval_iters = 0
