export const en = {
  title: 'Alarms',
}
