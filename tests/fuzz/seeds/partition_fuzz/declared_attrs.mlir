module{func.func private @l(i4{a.b},f32)}
