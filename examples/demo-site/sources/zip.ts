import { readFileSync } from 'node:fs'
import { inflateRawSync } from 'node:zlib'

const END_OF_DIRECTORY = 0x06054b50
const DIRECTORY_ENTRY = 0x02014b50
const STORED = 0

/** The members of a ZIP file by name, without their folders. */
export function readZip(path: string): Map<string, Buffer> {
  const zip = readFileSync(path)
  const end = findEndOfDirectory(zip, path)
  const members = new Map<string, Buffer>()

  let entry = zip.readUInt32LE(end + 16)
  for (let left = zip.readUInt16LE(end + 10); left > 0; left--) {
    if (zip.readUInt32LE(entry) !== DIRECTORY_ENTRY) throw new Error(`${path}: damaged directory`)
    const nameLength = zip.readUInt16LE(entry + 28)
    const name = zip.toString('utf8', entry + 46, entry + 46 + nameLength)
    members.set(name.slice(name.lastIndexOf('/') + 1), inflate(zip, entry))
    entry += 46 + nameLength + zip.readUInt16LE(entry + 30) + zip.readUInt16LE(entry + 32)
  }
  return members
}

/** The only member of a ZIP file, whatever its name. */
export function readOnlyMember(path: string): Buffer {
  const [member, ...others] = readZip(path).values()
  if (member === undefined || others.length > 0) throw new Error(`${path}: not one member`)
  return member
}

function findEndOfDirectory(zip: Buffer, path: string): number {
  for (let at = zip.length - 22; at >= 0; at--) {
    if (zip.readUInt32LE(at) === END_OF_DIRECTORY) return at
  }
  throw new Error(`${path}: not a ZIP file`)
}

function inflate(zip: Buffer, entry: number): Buffer {
  const method = zip.readUInt16LE(entry + 10)
  const packedLength = zip.readUInt32LE(entry + 20)
  const local = zip.readUInt32LE(entry + 42)
  const start = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28)
  const packed = zip.subarray(start, start + packedLength)
  return method === STORED ? packed : inflateRawSync(packed)
}
