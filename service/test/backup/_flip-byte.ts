import { open } from 'node:fs/promises'

/** Changes a bit in the middle of a file. */
export async function flipByte(file: string): Promise<void> {
  await using handle = await open(file, 'r+')
  const byte = Buffer.alloc(1)
  const at = Math.floor((await handle.stat()).size / 2)
  await handle.read(byte, 0, 1, at)
  byte[0] = byte[0]! ^ 1
  await handle.write(byte, 0, 1, at)
}
