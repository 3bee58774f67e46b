import { sayBy, type Phrase } from './phrases.ts'

/** A span of time as the service writes it: both languages take it as it is. */
const SPAN = String.raw`[\d.e+-]+ (?:s|min|h|d)`

/** What a value has reached, behind `, level 2 `. A unit can have any characters. */
const LIMITS: readonly Phrase[] = [
  [/^threshold (.+)$/, '阈值 $1'],
  [/^out of range (.+)$/, '超出量程 $1'],
  [/^unchanged for (.+ h)$/, '$1 未变化'],
  [/^at ([\d.e+-]+%) of the design value (.+)$/, '达到设计值 $2 的 $1'],
  [/^rate (.+) between records, limit (.+)$/, '相邻记录的变化速率 $1，限值 $2'],
  [/^rate (.+) over ([\d.e+-]+ min), limit (.+)$/, '$2 内的变化速率 $1，限值 $3'],
  [/^rate (.+), limit (.+) on (\d+) days in a row$/, '变化速率 $1，连续 $3 天达到限值 $2'],
  [/^rate (.+), limit (.+)$/, '变化速率 $1，限值 $2'],
]

const CONTENTS: readonly Phrase[] = [
  [
    new RegExp(`^silent for (${SPAN}), expected every (${SPAN}); (\\d+) devices? below it$`),
    '已静默 $1，应每 $2 上报一次；其下有 $3 台设备',
  ],
  [new RegExp(`^silent for (${SPAN}), expected every (${SPAN})$`), '已静默 $1，应每 $2 上报一次'],
  [/^in contact again$/, '已恢复联系'],
  [/^reports an error: (.+)$/s, '报告错误：$1'],
  [/^reports an error$/, '报告错误'],
  [/^answers without an error again$/, '应答恢复正常，不再报错'],
  [/^the station is no longer declared$/, '站点文件中已无此测点'],
  [/^the device is no longer declared$/, '站点文件中已无此设备'],
  [/^The records that raised this alarm were restored\.$/, '触发此告警的记录已还原。'],
]

const NORMAL = 'back to normal: '

/** The end of a violation, its level and its limit, and what joins the next one to it. */
const VIOLATION = /, level (\d+) (.+?)(; (?!and \d+ more$)|(?=; and \d+ more$)|$)/g

/** A number of a value, a rate or a limit, right before a unit that is written behind a blank. */
const BEFORE_UNIT =
  /(?<=(?:: |rate |limit |design value )[+-]?\d+(?:\.\d+)?(?:e[+-]\d+)?)(?=[\p{L}%‰]|°[CF])(?!e[+-]\d)/gu

/**
 * The content of an alarm with a blank between number and unit, which the service leaves out. Notifications
 * of the service write it alike (`domain/alarms/readable-content.ts`); they know the units of the station.
 */
export const readableContent = (content: string): string => content.replaceAll(BEFORE_UNIT, ' ')

/**
 * Says in Chinese what the service writes of an alarm. Names, numbers and units stay as they are, and so
 * does what a person wrote.
 */
export function alarmContentInChinese(written: string): string {
  const content = readableContent(written)
  const whole = sayBy(CONTENTS, content)
  if (whole !== undefined) return whole
  if (content.startsWith(NORMAL)) return `恢复正常：${sayRest(content.slice(NORMAL.length))}`
  const said = content.replaceAll(
    VIOLATION,
    (found, level: string, limit: string, next: string) => {
      const words = sayBy(LIMITS, limit)
      return words === undefined ? found : `，${level} 级：${words}${next && '；'}`
    },
  )
  return said === content ? written : sayRest(said)
}

/** The count of what had no more room, and values that are missing. */
const sayRest = (text: string): string =>
  text
    .replace(/; and (\d+) more$/, '；另有 $1 项')
    .replaceAll(/: no value(?=[;；，]|$)/g, ': 无数值')
