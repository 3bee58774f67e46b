import assert from 'node:assert/strict'
import { test } from 'node:test'
import { networkKind } from './network-disk.ts'

const MOUNTS = `22 1 254:0 / / rw,relatime - ext4 /dev/vda rw
40 22 0:40 / /mnt rw - fuse.mergerfs a:b rw
41 40 0:41 / /mnt/far\\040away rw - fuse.sshfs host:/ rw
42 40 0:42 / /mnt/usb rw - fuseblk /dev/sdb1 rw
`
const NONE = () => ''
const FUSE = 0x65735546
const kindOf = (path: string) => networkKind(FUSE, path, () => MOUNTS)

test('types of network file systems have their names, also as signed numbers', () => {
  const kinds = [0x6969, 0xff534d42, 0xff534d42 | 0, 0xfe534d42, 0x517b, 0x00c36400].map((type) =>
    networkKind(type, '/data', NONE),
  )

  assert.deepEqual(kinds, ['NFS', 'SMB (CIFS)', 'SMB (CIFS)', 'SMB', 'SMB', 'Ceph'])
})

test('disks of the machine are none', () => {
  const ext4 = 0xef53
  const tmpfs = 0x01021994
  const btrfs = 0x9123683e
  const overlay = 0x794c7630

  for (const type of [ext4, tmpfs, btrfs, overlay])
    assert.equal(networkKind(type, '/data', NONE), undefined)
})

test('the program of a mount says whether files of FUSE are far away', () => {
  assert.equal(kindOf('/mnt/far away/plumbline'), 'fuse.sshfs')
  assert.equal(kindOf('/mnt/far away'), 'fuse.sshfs')
  assert.equal(kindOf('/mnt/far awayer'), undefined)
  assert.equal(kindOf('/mnt/usb/plumbline'), undefined)
  assert.equal(kindOf('/srv'), undefined)
})
