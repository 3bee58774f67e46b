/** Inflated text has up to this many unused bytes at its end. */
const SPARE_BYTES = 64

/**
 * Releases the memory of bytes or numbers that are not used again.
 *
 * It is outside the heap, and the garbage collector runs more often the more of it is not released:
 * sixteen responses of a year had 50 MB. Bytes that share their memory are not released: those of
 * Node's pool never fill more than half of it.
 */
export function release({ buffer, byteLength }: ArrayBufferView): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength - byteLength <= SPARE_BYTES)
    buffer.transfer(0)
}
