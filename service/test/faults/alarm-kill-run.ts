/** The same with fifty kills: `node service/test/faults/alarm-kill-run.ts [KILLS]`. */
import { killAmongAlarms } from './_alarm-kills.ts'

console.log(JSON.stringify(await killAmongAlarms(Number(process.argv[2] ?? 50))))
