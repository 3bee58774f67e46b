export const en = {
  title: 'Operate',
}
