export const en = {
  title: 'Structure',
}
