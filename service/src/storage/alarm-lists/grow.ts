type Numbers = Uint8Array | Uint16Array | Uint32Array | Float64Array

/** Numbers with room for so many: the same, or a copy of at least twice the length. */
export function grow<Kind extends Numbers>(numbers: Kind, size: number): Kind {
  if (size <= numbers.length) return numbers
  const Kind = numbers.constructor as new (length: number) => Kind
  const longer = new Kind(Math.max(size, numbers.length * 2, 1024))
  longer.set(numbers)
  return longer
}
