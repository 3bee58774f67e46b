import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { connectionSettings } from './connection-settings.ts'

const SETTINGS = { poolSize: 7, statementTimeoutSeconds: 30 }

const CA = { rootCertificates: 'PEM' }

const sslOf = (url: string, files = {}) => connectionSettings(url, SETTINGS, files).ssl

describe('the options of a pool', () => {
  test('have the parts of the URL and the settings', () => {
    const options = connectionSettings(
      'postgres://u:p%40ss@[::1]:6432/d?application_name=a&connect_timeout=3&options=-c%20search_path%3Ds',
      SETTINGS,
    )

    assert.deepEqual(options, {
      host: '::1',
      port: 6432,
      user: 'u',
      password: 'p@ss',
      database: 'd',
      ssl: false,
      application_name: 'a',
      options: '-c search_path=s',
      max: 7,
      idleTimeoutMillis: 60_000,
      connectionTimeoutMillis: 3_000,
      statement_timeout: 30_000,
      keepAlive: true,
    })
  })

  test('have the password of the file, or none for the driver to look elsewhere', () => {
    const filed = connectionSettings('postgres://u@/d', { ...SETTINGS, password: 'secret' })

    assert.equal(filed.password, 'secret')
    assert.ok(!('password' in connectionSettings('postgres://u@/d', SETTINGS)))
  })

  test('are refused with a password in both places', () => {
    assert.throws(
      () => connectionSettings('postgres://u:one@/d', { ...SETTINGS, password: 'two' }),
      /in the storage URL and in storage.passwordFile: leave it out of the URL/,
    )
  })
})

describe('TLS', () => {
  test('is off with disable, on this machine and for sockets', () => {
    for (const url of [
      'postgres://u@db/d?sslmode=disable',
      'postgres://u@localhost/d',
      'postgres://u@%2Frun/d?sslmode=verify-full',
    ])
      assert.equal(sslOf(url), false, url)
  })

  test('verifies nothing with prefer, and with require but where an authority is named', () => {
    for (const url of ['postgres://u@db/d?sslmode=prefer', 'postgres://u@db/d?sslmode=require'])
      assert.deepEqual(sslOf(url, CA), { rejectUnauthorized: false }, url)
    const ssl = sslOf('postgres://u@db/d?sslmode=require&sslrootcert=ca.pem', CA)
    assert.ok(typeof ssl === 'object')
    assert.deepEqual([ssl.ca, ssl.rejectUnauthorized], [['PEM'], true])
    assert.equal(ssl.checkServerIdentity?.('other', {} as never), undefined)
  })

  test('verifies the authority with verify-ca, the name as well with verify-full', () => {
    const authority = sslOf('postgres://u@db/d?sslmode=verify-ca', CA)
    const full = sslOf('postgres://u@db/d', CA)

    assert.ok(typeof authority === 'object' && typeof full === 'object')
    assert.deepEqual([authority.ca, authority.rejectUnauthorized], [['PEM'], true])
    assert.ok(authority.checkServerIdentity)
    assert.deepEqual(full, { ca: ['PEM'], rejectUnauthorized: true })
    assert.deepEqual(sslOf('postgres://u@db/d'), { rejectUnauthorized: true })
  })

  test('sends the certificate of the client', () => {
    const files = { certificate: 'CERT', key: 'KEY' }

    assert.deepEqual(sslOf('postgres://u@db/d', files), {
      cert: 'CERT',
      key: 'KEY',
      rejectUnauthorized: true,
    })
  })
})
