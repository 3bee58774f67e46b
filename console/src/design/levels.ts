/** The outline of each level on a grid of 20: octagon, triangle, diamond, square, circle. */
export const LEVEL_SHAPES: Readonly<Record<number, string>> = {
  1: 'M6 1h8l5 5v8l-5 5H6l-5-5V6z',
  2: 'M10 1l9.5 17H.5z',
  3: 'M10 0l10 10-10 10L0 10z',
  4: 'M2 2h16v16H2z',
  5: 'M10 1a9 9 0 010 18 9 9 0 010-18z',
}
