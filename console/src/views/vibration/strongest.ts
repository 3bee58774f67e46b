/** The line with the highest value, without the one at 0 Hz, which is the mean. */
export function strongestLine(values: ArrayLike<number>): number {
  let strongest = 1
  for (let line = 2; line < values.length; line++)
    if (values[line]! > values[strongest]!) strongest = line
  return strongest
}
