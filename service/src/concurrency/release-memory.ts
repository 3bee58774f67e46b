/** Inflated text has so many bytes to spare at its end. */
const SPARE_BYTES = 64

/**
 * Gives back the memory of bytes or numbers that nobody will look at again.
 *
 * It lies outside the heap, and the garbage collector runs the more often the more of it waits:
 * sixteen answers of a year had 50 MB of it. Bytes that share their memory are left alone: those
 * of Node's pool never fill more than half of it.
 */
export function release({ buffer, byteLength }: ArrayBufferView): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength - byteLength <= SPARE_BYTES)
    buffer.transfer(0)
}
