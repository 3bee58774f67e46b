import assert from 'node:assert/strict'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { writeAtomically } from './write-output.ts'

async function withFolder(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'plumbline-export-'))
  try {
    await work(folder)
  } finally {
    await rm(folder, { recursive: true })
  }
}

async function* pieces(look: () => Promise<void>): AsyncGenerator<Uint8Array> {
  yield Buffer.from('one ')
  await look()
  yield Buffer.from('two')
}

const fail = () => Promise.reject(new Error('half way'))
const nothing = async () => {}

test('a file has another name until it is complete', () =>
  withFolder(async (folder) => {
    const name = join(folder, 'out.csv')
    let meanwhile: string[] = []

    await writeAtomically(
      name,
      pieces(async () => void (meanwhile = await readdir(folder))),
      false,
    )

    assert.equal(meanwhile.length, 1)
    assert.match(meanwhile[0]!, /^out\.csv\.\w{8}\.partial$/)
    assert.deepEqual(await readdir(folder), ['out.csv'])
    assert.equal(await readFile(name, 'utf8'), 'one two')
  }))

test('a failed write leaves no file, and the file to replace unchanged', () =>
  withFolder(async (folder) => {
    const name = join(folder, 'out.csv')
    await writeFile(name, 'old')

    await assert.rejects(writeAtomically(name, pieces(fail), true), /^Error: half way$/)

    assert.deepEqual(await readdir(folder), ['out.csv'])
    assert.equal(await readFile(name, 'utf8'), 'old')
  }))

test('a file that another process creates meanwhile is not replaced', () =>
  withFolder(async (folder) => {
    const name = join(folder, 'out.csv')

    const writing = writeAtomically(
      name,
      pieces(() => writeFile(name, 'theirs')),
      false,
    )

    await assert.rejects(writing, /out\.csv exists; --force replaces it\.$/)
    assert.deepEqual(await readdir(folder), ['out.csv'])
    assert.equal(await readFile(name, 'utf8'), 'theirs')
  }))

test('a folder, and a path without a folder, are refused with a sentence', () =>
  withFolder(async (folder) => {
    await mkdir(join(folder, 'taken'))

    const onFolder = writeAtomically(join(folder, 'taken'), pieces(nothing), true)
    const nowhere = writeAtomically(join(folder, 'none', 'out.csv'), pieces(nothing), false)

    await assert.rejects(onFolder, /taken is a folder\.$/)
    await assert.rejects(nowhere, /out\.csv cannot be written: ENOENT\.$/)
  }))
