#include "train/system/cpu_features.h"

namespace train {

extern constexpr int compiled_for = 0
#ifdef __AVX2__
                                    | avx2
#endif
#ifdef __FMA__
                                    | fma
#endif
#ifdef __BMI2__
                                    | bmi2
#endif
#ifdef __AVX512F__
                                    | avx512f
#endif
#ifdef __AVX512BW__
                                    | avx512bw
#endif
#ifdef __AVX512DQ__
                                    | avx512dq
#endif
#ifdef __AVX512VL__
                                    | avx512vl
#endif
    ;

}  // namespace train
