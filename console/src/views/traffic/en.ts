export const en = {
  title: 'Traffic',
}
