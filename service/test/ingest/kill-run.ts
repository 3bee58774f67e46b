/** Kills the service and the broker 20 times each; prints what was found. Takes some minutes. */
import { killBroker, killService } from './_kills.ts'

const TURNS = 20

await killService(TURNS, 2000)
console.log(`service killed ${TURNS} times in ${TURNS * 2000} messages: none lost, none doubled`)

const { resent } = await killBroker(TURNS, 200)
console.log(
  `broker killed ${TURNS} times in ${TURNS * 200} messages: none lost, none doubled but for ${resent} that it had acknowledged and not written down`,
)
