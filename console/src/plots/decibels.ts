/** No value is further below the highest one; a logarithm of 0 would be infinite. */
const SPAN = 160

/** Ten or twenty logarithms of values: 10 of powers such as densities, 20 of amplitudes. */
export function toDecibels(values: ArrayLike<number>, factor: 10 | 20): Float64Array {
  let highest = 0
  for (let at = 0; at < values.length; at++) highest = Math.max(highest, values[at]!)
  if (highest === 0) return new Float64Array(values.length)
  const least = highest * 10 ** (-SPAN / factor)
  return Float64Array.from(values, (value) => factor * Math.log10(Math.max(value, least)))
}
