export const en = {
  title: 'Station',
}
