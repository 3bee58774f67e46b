export const en = {
  title: 'Accounts',
}
