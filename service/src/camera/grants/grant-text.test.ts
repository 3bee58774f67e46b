import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { formatGrant, isSignedFor, parseGrant } from './grant-text.ts'

const SECRET = new Uint8Array(32).fill(7)
const DEVICE = { serialNo: '测站-1', channelNo: 1 }

const grants = fc.record(
  {
    camera: fc.nat(2 ** 31 - 1),
    quality: fc.constantFrom('h', 'd'),
    expires: fc.nat(10 ** 11),
    holder: fc.oneof(
      fc.record({ user: fc.nat(2 ** 31 - 1) }, { noNullPrototype: true }),
      fc.record({ account: fc.nat(2 ** 31 - 1) }, { noNullPrototype: true }),
    ),
  },
  { noNullPrototype: true },
)

test('a grant is read as it was made, and is signed for its camera only', () => {
  fc.assert(
    fc.property(grants, (grant) => {
      const parsed = parseGrant(formatGrant(grant, DEVICE, SECRET))

      assert.ok(parsed)
      assert.deepEqual(parsed.grant, grant)
      assert.ok(isSignedFor(parsed, DEVICE, SECRET))
      assert.ok(!isSignedFor(parsed, { ...DEVICE, channelNo: 2 }, SECRET))
      assert.ok(!isSignedFor(parsed, { ...DEVICE, serialNo: '测站-2' }, SECRET))
      assert.ok(!isSignedFor(parsed, DEVICE, new Uint8Array(32).fill(8)))
    }),
  )
})

test('a grant with any character altered is not signed', () => {
  const made = formatGrant(
    { camera: 12, quality: 'd', expires: 1_775_035_467, holder: { user: 3 } },
    DEVICE,
    SECRET,
  )
  fc.assert(
    fc.property(fc.nat(made.length - 1), fc.constantFrom(...'0123456789hdaAz-_.'), (at, other) => {
      fc.pre(made[at] !== other)
      const parsed = parseGrant(made.slice(0, at) + other + made.slice(at + 1))

      assert.ok(parsed === undefined || !isSignedFor(parsed, DEVICE, SECRET))
    }),
    { numRuns: 2000 },
  )
})

test('the grant of a user is not that of the account with its number', () => {
  fc.assert(
    fc.property(grants, (grant) => {
      const number = 'user' in grant.holder ? grant.holder.user : grant.holder.account
      const [ofUser, ofAccount] = [{ user: number }, { account: number }].map((holder) =>
        parseGrant(formatGrant({ ...grant, holder }, DEVICE, SECRET)),
      )

      assert.ok(ofUser && ofAccount)
      assert.ok(!isSignedFor({ ...ofUser, grant: ofAccount.grant }, DEVICE, SECRET))
      assert.ok(!isSignedFor({ ...ofAccount, grant: ofUser.grant }, DEVICE, SECRET))
    }),
  )
})

test('other texts are no grants', () => {
  const made = formatGrant(
    { camera: 1, quality: 'h', expires: 1, holder: { user: 1 } },
    DEVICE,
    SECRET,
  )
  for (const text of [
    '',
    '.',
    'index.m3u8',
    made.replace('.h.', '.x.'),
    `${made}a`,
    made.slice(1),
    ` ${made}`,
    `0${made}`,
    made.replace('.h.1.1.', '.h.1.aa1.'),
  ])
    assert.equal(parseGrant(text), undefined, text)
})
