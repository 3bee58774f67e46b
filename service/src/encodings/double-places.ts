const bits = new DataView(new ArrayBuffer(8))

/** Returns by how many doubles `to` is further from zero than `from`, both of one sign. */
export function distance(from: number, to: number): number {
  bits.setFloat64(0, from)
  const [high, low] = [bits.getUint32(0), bits.getUint32(4)]
  bits.setFloat64(0, to)
  return (bits.getUint32(0) - high) * 2 ** 32 + bits.getUint32(4) - low
}

/** Returns the double that is `places` doubles further from zero. */
export function moved(from: number, places: number): number {
  if (places === 0) return from
  bits.setFloat64(0, from)
  const low = bits.getUint32(4) + places
  bits.setUint32(0, bits.getUint32(0) + Math.floor(low / 2 ** 32))
  bits.setUint32(4, low)
  return bits.getFloat64(0)
}
