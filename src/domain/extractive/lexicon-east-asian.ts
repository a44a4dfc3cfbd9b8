/** Japanese and Chinese. They have no spaces: a sentence begins with its first characters, not with a word. */
import type { Entry } from './lexicon.js'

const NONE = {
  determiners: '', dangling: '', leadIns: '', connectives: '', asides: '', announcement: ''
} as const

export const JAPANESE: Entry = {
  ...NONE,
  // Words in hiragana only are left out by `toStem`.
  stopWords: '私 私たち 僕 俺 彼 彼女 今 今日 昨日 明日 時 事 物 人 方 前 後 中 上 下 年 月 日 分 回 一 二 三 四 五 六 七 八 九 十 百 千 万 何 ' +
    '誰 言 思 見 行 来 出 入 話 皆さん 最初 最後 次 本当 全部 自分 感じ 場合 必要 大切',
  sounds: '(?:えーと|えっと|えー|あのー|そのー|まあ)[、,]?',
  announced: /(?:まず|次に?|続いて|最後に?|今日)[は、]?(?<topic>[^、。]{1,20}?)(?:の(?:お?話|説明|こと)|について|に移り)/u,
  references: 'それ|これ|あれ|その|この|あの|そこ|ここ|でも|しかし|だから|そして|また|さらに|すると|つまり|ただ|ところが|なぜなら',
  greetings: '皆さん|こんにちは|こんばんは|おはよう|ありがとう|はじめまして|ようこそ|よろしく|さようなら',
  thanks: 'ありがとうございま|よろしくお願い|お疲れ様',
  impersonal: '',
  emphasis: '必ず いつも 決して 絶対 誰 だれ いちばん 一番 大切 大事 より だけ しか 信じる 学ぶ 学び',
  weight: '決め 決定 結果 結論 重要 大切 目的 計画 問題 解決 理由 費用'
}

export const CHINESE: Entry = {
  ...NONE,
  stopWords: '的 了 是 我 我们 你 你们 您 他 她 它 他们 她们 它们 这 那 这个 那个 这些 那些 这样 那样 这里 那里 在 有 没有 和 与 或 就 不 也 都 很 ' +
    '会 能 可以 要 想 说 讲 看 上 下 到 去 来 把 被 让 给 从 对 对于 用 为 因为 所以 但是 但 如果 而 而且 然后 还 还是 只 最 更 再 又 已经 ' +
    '一 二 三 四 五 六 七 八 九 十 个 一个 两 些 一些 种 次 年 月 日 天 时候 时间 今天 昨天 明天 现在 什么 怎么 为什么 谁 哪 多少 几 ' +
    '大家 人 自己 事 事情 东西 地方 觉得 知道 做 得 地 着 过 吗 呢 吧 啊 嘛 里 中 后 前 以后 以前 比 等 每 第一 第二 第三 最后 首先 必须 需要',
  sounds: '(?:嗯+|呃+|那个那个)[，,]?',
  announced: /(?:首先|接下来|接着|现在|最后|今天)[，,]?(?:我们|我|大家)?(?:想|要|来|再)?(?:谈|讲|说|讨论|介绍|看)+(?:一下)?(?<topic>[^，。！？]{2,20})/u,
  references: '它|他|她|这|那|但是|但|所以|因此|而且|然后|于是|不过|另外|因为|其实|可是|而',
  greetings: '大家好|你好|您好|早上好|下午好|晚上好|谢谢|欢迎|再见|各位',
  thanks: '谢谢大家|谢谢您|多谢',
  impersonal: '',
  emphasis: '永远 从来 总是 必须 最好 最重要 重要 只有 没有人 每个人 相信 学会 如果 比',
  weight: '决定 结果 结论 重要 目的 计划 问题 解决 原因 费用 需要'
}
