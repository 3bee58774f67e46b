/** The same with fifty kills: `node service/test/faults/alarm-kill-run.ts [KILLS [MILLISECONDS]]`. */
import { killAmongAlarms } from './_alarm-kills.ts'

const [kills = 50, milliseconds = 1_000] = process.argv.slice(2).map(Number)
console.log(JSON.stringify(await killAmongAlarms(kills, milliseconds)))
