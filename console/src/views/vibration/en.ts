export const en = {
  title: 'Vibration',
}
