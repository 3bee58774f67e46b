/** Whether a number is a port, or 0. */
export const isPort = (value: number): boolean =>
  Number.isInteger(value) && value >= 0 && value <= 65_535
