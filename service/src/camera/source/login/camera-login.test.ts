import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CameraLogin } from './camera-login.ts'

const REFUSED = {
  name: 'SourceError',
  message: 'The camera refused the user name or the password.',
}

const withSecret = () => new CameraLogin({ user: 'admin', password: 'secret' })

const DIGEST = 'Digest realm="cam", nonce="1", qop="auth"'

test('nothing is sent before the camera asks', () => {
  assert.equal(withSecret().authorize('GET', '/'), undefined)
})

test('a camera that asks for a user gets none where the source has none', () => {
  assert.throws(() => new CameraLogin(undefined).challenged([DIGEST]), {
    name: 'SourceError',
    message: 'The camera asks for a user name and a password.',
  })
})

test('a digest goes before basic, and basic is used where no digest is offered', () => {
  const login = withSecret()
  login.challenged(['Basic realm="cam"', DIGEST])
  assert.match(login.authorize('GET', '/') ?? '', /^Digest .*nc=00000001/)
  assert.match(login.authorize('GET', '/') ?? '', /^Digest .*nc=00000002/)

  const basic = withSecret()
  basic.challenged(['Negotiate, Basic realm="cam"'])
  assert.equal(basic.authorize('GET', '/'), 'Basic YWRtaW46c2VjcmV0')
})

test('the first digest that is known is taken; an unknown one does not lead to basic', () => {
  const login = withSecret()
  login.challenged(['Digest nonce=1, algorithm=SHA-512-256', 'Digest nonce=2, algorithm=SHA-256'])
  assert.match(login.authorize('GET', '/') ?? '', /nonce="2".*algorithm=SHA-256/)

  for (const challenges of [['Digest nonce=1, algorithm=X', 'Basic realm=a'], ['Negotiate'], []])
    assert.throws(() => withSecret().challenged(challenges), /a way to log in that is not known/)
})

test('a second challenge means that user or password are wrong', () => {
  for (const challenge of [DIGEST, 'Basic realm="cam"']) {
    const login = withSecret()
    login.challenged([challenge])
    assert.throws(() => login.challenged([challenge]), REFUSED)
  }
})

test('a nonce that is too old is replaced, said or unsaid', () => {
  const said = withSecret()
  said.challenged([DIGEST])
  said.challenged(['Digest realm="cam", nonce="2", stale=true'])
  assert.match(said.authorize('GET', '/') ?? '', /nonce="2"/)

  const unsaid = withSecret()
  unsaid.challenged([DIGEST])
  unsaid.accepted()
  unsaid.challenged(['Digest realm="cam", nonce="3"'])
  assert.match(unsaid.authorize('GET', '/') ?? '', /nonce="3"/)
  assert.throws(() => unsaid.challenged(['Digest realm="cam", nonce="4"']), REFUSED)
})

test('a camera that calls every digest too old is given up', () => {
  const login = withSecret()
  login.challenged([DIGEST])
  assert.throws(() => {
    for (let nonce = 0; nonce < 10; nonce++)
      login.challenged([`Digest realm="cam", nonce="${nonce}", stale=true`])
  }, REFUSED)
})
