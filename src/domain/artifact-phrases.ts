/** The fixed texts of artifacts, by language. Pure. */

export type Phrases = {
  /** What a summary says when the transcript is empty. */
  nothingSaid: string
  keyTopics: string
  quotes: string
  links: string
  /** Stands where people add links. */
  addLinks: string
  /** A sentence that lists topics; `list` has been joined with `and`. */
  covers: (list: string) => string
  /** Between the last two entries of a list. */
  and: string
  /** Stands for `and` before entries that begin like this. */
  andBefore?: readonly [pattern: RegExp, and: string]
  /** The first post of a thread. */
  hook: (title: string) => string
  /** The last post of a thread. */
  lastPost: (title: string) => string
  /** The last section of a blog post. */
  nextHeading: string
  callToAction: string
  quotationMarks: readonly [string, string]
}

const PHRASES: Readonly<Record<string, Phrases>> = {
  en: {
    nothingSaid: 'Nothing was said in this recording.',
    keyTopics: 'Key topics',
    quotes: 'Quotes',
    links: 'Links',
    addLinks: '[Add the links mentioned in the recording here]',
    covers: (list) => `Topics: ${list}.`,
    and: 'and',
    hook: (title) => `${title}: the main points in one thread 🧵`,
    lastPost: (title) => `That was “${title}”. Which point will you try first? Share this thread with someone who needs it.`,
    nextHeading: 'What to do next',
    callToAction: 'Which of these points will you try first? Listen to the whole recording, tell us what you think in the comments, ' +
      'and share this post with someone it may help.',
    quotationMarks: ['“', '”']
  },
  es: {
    nothingSaid: 'En esta grabación no se dijo nada.',
    keyTopics: 'Temas principales',
    quotes: 'Citas',
    links: 'Enlaces',
    addLinks: '[Añada aquí los enlaces mencionados en la grabación]',
    covers: (list) => `Temas: ${list}.`,
    and: 'y',
    // "y" becomes "e" before the sound i, which is not that of "hielo".
    andBefore: [/^(?:[ií]|h[ií](?![aeo]))/iu, 'e'],
    hook: (title) => `${title}: los puntos principales en un hilo 🧵`,
    lastPost: (title) => `Hasta aquí «${title}». ¿Con qué idea se queda? Comparta este hilo con quien lo necesite.`,
    nextHeading: '¿Y ahora qué?',
    callToAction: '¿Qué idea va a poner en práctica primero? Escuche la grabación completa, cuéntenos su opinión en los comentarios ' +
      'y comparta este artículo con quien pueda necesitarlo.',
    quotationMarks: ['«', '»']
  },
  de: {
    nothingSaid: 'In dieser Aufnahme wurde nichts gesagt.',
    keyTopics: 'Themen',
    quotes: 'Zitate',
    links: 'Links',
    addLinks: '[Hier die in der Aufnahme genannten Links einfügen]',
    covers: (list) => `Themen: ${list}.`,
    and: 'und',
    hook: (title) => `${title}: das Wichtigste in einem Thread 🧵`,
    lastPost: (title) => `Das war „${title}“. Welcher Punkt ist Ihnen am wichtigsten? Teilen Sie diesen Thread mit allen, denen er hilft.`,
    nextHeading: 'Wie es weitergeht',
    callToAction: 'Welchen Punkt setzen Sie zuerst um? Hören Sie sich die ganze Aufnahme an, schreiben Sie uns Ihre Meinung in die ' +
      'Kommentare und teilen Sie diesen Beitrag mit allen, denen er helfen kann.',
    quotationMarks: ['„', '“']
  },
  fr: {
    nothingSaid: 'Rien n’a été dit dans cet enregistrement.',
    keyTopics: 'Sujets abordés',
    quotes: 'Citations',
    links: 'Liens',
    addLinks: '[Ajoutez ici les liens mentionnés dans l’enregistrement]',
    covers: (list) => `Sujets : ${list}.`,
    and: 'et',
    hook: (title) => `${title} : l’essentiel en un fil 🧵`,
    lastPost: (title) => `C’était « ${title} ». Quel point retenez-vous ? Partagez ce fil avec ceux qu’il peut aider.`,
    nextHeading: 'Et maintenant ?',
    callToAction: 'Par quel point allez-vous commencer ? Écoutez l’enregistrement complet, donnez votre avis en commentaire ' +
      'et partagez cet article avec ceux qu’il peut aider.',
    quotationMarks: ['« ', ' »']
  },
  it: {
    nothingSaid: 'In questa registrazione non è stato detto nulla.',
    keyTopics: 'Temi principali',
    quotes: 'Citazioni',
    links: 'Link',
    addLinks: '[Aggiungi qui i link citati nella registrazione]',
    covers: (list) => `Temi: ${list}.`,
    and: 'e',
    hook: (title) => `${title}: i punti principali in un thread 🧵`,
    lastPost: (title) => `Questo era «${title}». Quale punto ti ha colpito di più? Condividi il thread con chi può averne bisogno.`,
    nextHeading: 'E adesso?',
    callToAction: 'Da quale punto vuoi cominciare? Ascolta la registrazione completa, scrivi nei commenti che cosa ne pensi ' +
      'e condividi questo articolo con chi può averne bisogno.',
    quotationMarks: ['«', '»']
  },
  pt: {
    nothingSaid: 'Nada foi dito nesta gravação.',
    keyTopics: 'Temas principais',
    quotes: 'Citações',
    links: 'Links',
    addLinks: '[Adicione aqui os links mencionados na gravação]',
    covers: (list) => `Temas: ${list}.`,
    and: 'e',
    hook: (title) => `${title}: os pontos principais em um fio 🧵`,
    lastPost: (title) => `Isto foi “${title}”. Qual ponto mais chamou a sua atenção? Compartilhe este fio com quem precisa dele.`,
    nextHeading: 'E agora?',
    callToAction: 'Qual ponto você vai pôr em prática primeiro? Ouça a gravação completa, deixe a sua opinião nos comentários ' +
      'e compartilhe este artigo com quem possa precisar dele.',
    quotationMarks: ['“', '”']
  },
  nl: {
    nothingSaid: 'In deze opname is niets gezegd.',
    keyTopics: 'Onderwerpen',
    quotes: 'Citaten',
    links: 'Links',
    addLinks: '[Voeg hier de links toe die in de opname worden genoemd]',
    covers: (list) => `Onderwerpen: ${list}.`,
    and: 'en',
    hook: (title) => `${title}: de belangrijkste punten in één draadje 🧵`,
    lastPost: (title) => `Dat was “${title}”. Welk punt neem jij mee? Deel dit draadje met iemand die er iets aan heeft.`,
    nextHeading: 'Hoe nu verder',
    callToAction: 'Welk punt probeer jij als eerste? Luister naar de hele opname, laat in de reacties weten wat je ervan vindt ' +
      'en deel dit artikel met iemand die er iets aan heeft.',
    quotationMarks: ['“', '”']
  },
  ja: {
    nothingSaid: 'この録音には発言がありません。',
    keyTopics: '主な話題',
    quotes: '引用',
    links: 'リンク',
    addLinks: '[録音で紹介されたリンクをここに追加]',
    covers: (list) => `話題：${list}。`,
    and: '、',
    hook: (title) => `${title}：要点をスレッドにまとめました 🧵`,
    lastPost: (title) => `以上「${title}」でした。どの話が心に残りましたか？必要な人にこのスレッドを共有してください。`,
    nextHeading: '次の一歩',
    callToAction: 'どの話から試してみますか？録音の全編を聴いて、感想をコメントで教えてください。役に立ちそうな人にこの記事を共有してください。',
    quotationMarks: ['「', '」']
  },
  zh: {
    nothingSaid: '这段录音里没有人说话。',
    keyTopics: '主要话题',
    quotes: '引语',
    links: '链接',
    addLinks: '[在此添加录音中提到的链接]',
    covers: (list) => `话题：${list}。`,
    and: '、',
    hook: (title) => `${title}：要点都在这里 🧵`,
    lastPost: (title) => `以上就是“${title}”。哪一点对你最有用？请转发给需要的人。`,
    nextHeading: '接下来',
    callToAction: '你会先试哪一点？请收听完整录音，在评论中告诉我们你的想法，并把这篇文章分享给需要的人。',
    quotationMarks: ['“', '”']
  }
}

/** Signs that need no language, for all other languages. */
const NEUTRAL: Phrases = {
  nothingSaid: '…',
  keyTopics: '🕑',
  quotes: '❝ ❞',
  links: '🔗',
  addLinks: '[https://…]',
  covers: (list) => `${list}.`,
  and: '&',
  hook: (title) => `${title} 🧵`,
  lastPost: (title) => `${title} 🔁`,
  nextHeading: '➜',
  callToAction: '💬 🔁',
  quotationMarks: ['“', '”']
}

/** The fixed texts for a language. Languages without any get signs; without a language, English. */
export function phrasesFor (language: string | undefined): Phrases {
  return PHRASES[language ?? 'en'] ?? NEUTRAL
}

/** A list in one sentence: "a, b and c"; "a; b and c; d" where an entry is a list itself. */
export function joinList (entries: readonly string[], { and, andBefore }: Phrases): string {
  if (entries.length < 2) return entries.join('')
  if (!/\p{L}|&/u.test(and)) return entries.join(and)
  if (entries.some((entry) => entry.includes(` ${and} `) || entry.includes(','))) return entries.join('; ')
  const last = entries.at(-1) ?? ''
  const word = andBefore?.[0].test(last) ? andBefore[1] : and
  return `${entries.slice(0, -1).join(', ')} ${word} ${last}`
}
