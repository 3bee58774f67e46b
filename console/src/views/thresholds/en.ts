export const en = {
  title: 'Thresholds',
}
