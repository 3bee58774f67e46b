export const en = {
  title: 'Cameras',
}
