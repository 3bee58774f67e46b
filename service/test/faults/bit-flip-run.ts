/**
 * Turns bits of a database, one at a time, and counts what was answered then.
 *
 * node scripts/run.js service/test/faults/bit-flip-run.ts [FLIPS] [SEED]
 */
import { randomNumbers } from './_random.ts'
import { BitFlips } from './_bit-flips.ts'

const flips = Number(process.argv[2] ?? 1000)
const seed = Number(process.argv[3] ?? Date.now() % 2 ** 31)
const random = randomNumbers(seed)
await using database = await BitFlips.open()
console.log(`${flips} flips in ${database.size} bytes, seed ${seed}`)
const counts = { same: 0, failed: 0, wrong: 0, unseen: 0, found: 0 }
for (let at = 0; at < flips; at++) {
  const offset = Math.floor(random() * database.size)
  const flip = await database.flip(offset, Math.floor(random() * 8))
  const { failed, wrong, found } = flip
  if (failed.length + wrong.length === 0) counts.same++
  else if (wrong.length > 0) counts.wrong++
  else counts.failed++
  if (found.length > 0) counts.found++
  if (failed.length + wrong.length > 0 && found.length === 0) counts.unseen++
  if (wrong.length > 0 || (failed.length > 0 && found.length === 0))
    console.log(`byte ${offset}, bit ${flip.bit}, page ${1 + Math.floor(offset / 8192)}:`, flip)
  if ((at + 1) % 50 === 0) console.log(at + 1, JSON.stringify(counts))
}
console.log(JSON.stringify(counts))
process.exitCode = counts.wrong + counts.unseen > 0 ? 1 : 0
