import { crc32, deflateRawSync } from 'node:zlib'

export type ZipPart = {
  name: string | Buffer
  content: Uint8Array
  /** Kept as it is. */
  isStored?: boolean
  /** What the headers say of it instead of the truth. */
  says?: Partial<{ size: number; packedSize: number; crc: number; flags: number; method: number }>
  /** Its data and local header are those of the member at this place. */
  dataOf?: number
}

/** A ZIP archive, as truthful as its parts. */
export function zip(parts: readonly ZipPart[], says: { count?: bigint } = {}): Buffer {
  const body: Buffer[] = []
  const directory: Buffer[] = []
  const offsets: number[] = []
  let at = 0
  for (const part of parts) {
    const fields = fieldsOf(part)
    const name = Buffer.from(part.name as string)
    const from = part.dataOf === undefined ? at : offsets[part.dataOf]!
    offsets.push(from)
    const entry = Buffer.alloc(46)
    entry.writeUInt32LE(0x02014b50, 0)
    entry.writeUInt16LE(20, 6)
    fields.header.copy(entry, 8)
    entry.writeUInt16LE(name.length, 28)
    entry.writeUInt32LE(from, 42)
    directory.push(entry, name)
    if (part.dataOf !== undefined) continue
    const local = Buffer.alloc(30)
    local.writeUInt32LE(0x04034b50, 0)
    local.writeUInt16LE(20, 4)
    fields.header.copy(local, 6)
    local.writeUInt16LE(name.length, 26)
    body.push(local, name, fields.packed)
    at += local.length + name.length + fields.packed.length
  }
  const list = Buffer.concat(directory)
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt16LE(Math.min(0xffff, parts.length), 8)
  end.writeUInt16LE(Math.min(0xffff, parts.length), 10)
  end.writeUInt32LE(list.length, 12)
  end.writeUInt32LE(at, 16)
  const far = says.count === undefined ? [] : zip64End(says.count, list.length, at)
  return Buffer.concat([...body, list, ...far, end])
}

/** From the flags to the sizes, as both headers have them. */
function fieldsOf({ content, isStored = false, says = {} }: ZipPart) {
  const packed = isStored ? Buffer.from(content) : deflateRawSync(content)
  const header = Buffer.alloc(20)
  header.writeUInt16LE(says.flags ?? 0, 0)
  header.writeUInt16LE(says.method ?? (isStored ? 0 : 8), 2)
  header.writeUInt32LE(says.crc ?? crc32(content), 8)
  header.writeUInt32LE(says.packedSize ?? packed.length, 12)
  header.writeUInt32LE(says.size ?? content.length, 16)
  return { packed, header }
}

function zip64End(count: bigint, directoryBytes: number, directoryAt: number): Buffer[] {
  const record = Buffer.alloc(56)
  record.writeUInt32LE(0x06064b50, 0)
  record.writeBigUInt64LE(44n, 4)
  record.writeBigUInt64LE(count, 24)
  record.writeBigUInt64LE(count, 32)
  record.writeBigUInt64LE(BigInt(directoryBytes), 40)
  record.writeBigUInt64LE(BigInt(directoryAt), 48)
  const locator = Buffer.alloc(20)
  locator.writeUInt32LE(0x07064b50, 0)
  locator.writeBigUInt64LE(BigInt(directoryAt + directoryBytes), 8)
  locator.writeUInt32LE(1, 16)
  return [record, locator]
}
