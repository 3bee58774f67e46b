/** The most bytes of a picture that the service takes. */
export const PICTURE_BYTES = 8 * 1024 * 1024

export const PICTURE_TYPES = ['image/jpeg', 'image/png', 'image/webp']

/** A share between 0 and 1, to a ten-thousandth. */
export const limit = (share: number): number =>
  Math.min(Math.max(Math.round(share * 1e4) / 1e4, 0), 1)

/** Where a click on an element is, in shares of its width and height. */
export function shareOf(event: MouseEvent, element: Element): { x: number; y: number } {
  const { left, top, width, height } = element.getBoundingClientRect()
  return { x: limit((event.clientX - left) / width), y: limit((event.clientY - top) / height) }
}
