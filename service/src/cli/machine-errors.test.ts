import assert from 'node:assert/strict'
import { test } from 'node:test'
import { explainMachineError } from './machine-errors.ts'

for (const [code, words] of [
  ['EADDRINUSE', 'Choose another port with --port, http.port or PLUMBLINE_HTTP_PORT.'],
  ['EADDRNOTAVAIL', 'Choose another with --host'],
  ['ENOSPC', 'Free some space'],
  ['EDQUOT', 'Free some space'],
  ['SQLITE_FULL', 'Free some space'],
  ['EACCES', 'Run the command as the user that the folder belongs to'],
  ['EROFS', 'Mount it for writing'],
  ['SQLITE_READONLY_DIRECTORY', 'Choose another data folder'],
  ['SQLITE_CANTOPEN', 'Choose another data folder'],
  ['ENOTDIR', 'a file exists where a folder is needed'],
  ['EMFILE', 'LimitNOFILE='],
  ['SQLITE_BUSY_SNAPSHOT', 'more than ten seconds'],
  ['SQLITE_CORRUPT_VTAB', 'plumbline doctor'],
  ['SQLITE_NOTADB', 'restore the data folder from a backup'],
  ['SQLITE_IOERR_FSYNC', 'the disk failed'],
  ['EIO', 'the disk failed'],
  ['SQLITE_NOMEM', 'out of memory'],
] as const)
  test(`${code} is explained with what an operator can do`, () => {
    const text = explainMachineError({ code, message: 'It failed' })

    assert.ok(text !== undefined)
    assert.ok(text.startsWith('It failed'), text)
    assert.ok(text.includes(words), text)
  })

for (const [settings, code, words] of [
  ['ops', 'EADDRINUSE', 'with ops.port or PLUMBLINE_OPS_PORT.'],
  ['ingest.broker', 'EADDRINUSE', 'with ingest.broker.port or PLUMBLINE_INGEST_BROKER_PORT.'],
  ['ingest.broker', 'EADDRNOTAVAIL', 'with ingest.broker.host or PLUMBLINE_INGEST_BROKER_HOST.'],
  ['http', 'EACCES', 'of 1024 or above with --port, http.port or PLUMBLINE_HTTP_PORT.'],
] as const)
  test(`${code} of a server names the setting that says where it listens: ${settings}`, () => {
    const text = explainMachineError({ code, message: 'It failed', syscall: 'listen', settings })

    assert.ok(text?.endsWith(words), text ?? 'unexplained')
  })

test('an error that is not of the machine is not explained', () => {
  for (const code of ['ERR_ASSERTION', 'SQLITE_ERROR', undefined])
    assert.equal(explainMachineError({ code, message: 'It failed' }), undefined)
})

for (const [syscall, words] of [
  ['mkdir', 'its disk is mounted read-only'],
  ['scandir', 'the folder does not exist'],
] as const)
  test(`ENOENT of ${syscall} is explained, since its path is one that was named`, () => {
    const text = explainMachineError({ code: 'ENOENT', message: 'It failed', syscall })

    assert.ok(text?.includes(words), text ?? 'unexplained')
  })

test('any other ENOENT is a fault of the program', () => {
  assert.equal(explainMachineError({ code: 'ENOENT', message: 'x', syscall: 'open' }), undefined)
})
