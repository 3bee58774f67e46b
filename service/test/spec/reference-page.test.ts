import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readPage } from '../_browser.ts'
import { withService } from '../_service.ts'

test('a browser shows curl lines with the address from which the reference came', async () => {
  const settings = { 'http.publicUrl': 'https://elsewhere.example' }
  await using service = await withService({ settings })
  const { origin } = service.service

  const document = await readPage(`${origin}/docs/`, 20_000)

  const text = document.replaceAll(/<[^>]*>/g, '').replaceAll('&amp;', '&')
  assert.ok(text.includes(`curl ${origin}/api/v1/oauth2/token \\`), text.slice(0, 2000))
  assert.match(text, /--data-urlencode 'grant_type=client_credentials'/)
  assert.match(text, /Access tokens of an application: get, refresh and invalidate them\./)
})
