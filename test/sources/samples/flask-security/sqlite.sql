PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE role (
	id INTEGER NOT NULL, 
	name VARCHAR(80) NOT NULL, 
	description VARCHAR(255), 
	permissions TEXT, 
	update_datetime DATETIME DEFAULT CURRENT_TIMESTAMP NOT NULL, 
	PRIMARY KEY (id), 
	UNIQUE (name)
);
INSERT INTO role VALUES(1,'admin',NULL,NULL,'2026-11-23 17:09:59');
CREATE TABLE user (
	fs_webauthn_user_handle VARCHAR(64), 
	mf_recovery_codes TEXT, 
	password VARCHAR(255), 
	us_phone_number VARCHAR(128), 
	username VARCHAR(255), 
	us_totp_secrets TEXT, 
	id INTEGER NOT NULL, 
	email VARCHAR(255) NOT NULL, 
	active BOOLEAN NOT NULL, 
	fs_uniquifier VARCHAR(64) NOT NULL, 
	confirmed_at DATETIME, 
	last_login_at DATETIME, 
	current_login_at DATETIME, 
	last_login_ip VARCHAR(64), 
	current_login_ip VARCHAR(64), 
	login_count INTEGER, 
	tf_primary_method VARCHAR(64), 
	tf_totp_secret VARCHAR(255), 
	tf_phone_number VARCHAR(128), 
	create_datetime DATETIME DEFAULT CURRENT_TIMESTAMP NOT NULL, 
	update_datetime DATETIME DEFAULT CURRENT_TIMESTAMP NOT NULL, 
	PRIMARY KEY (id), 
	UNIQUE (fs_webauthn_user_handle), 
	UNIQUE (us_phone_number), 
	UNIQUE (username), 
	UNIQUE (email), 
	UNIQUE (fs_uniquifier)
);
INSERT INTO user VALUES('82937a6b740647c6a5a64b1e9f4f912b',NULL,'$argon2id$v=19$m=256,t=1,p=1$C4EQAgDAeK91DmFsTam1dg$M2zNXSpsFcLvj9CpATNbs+DWrxT6p/AN1K26mV8XpGg',NULL,'ada',NULL,1,'ada@example.org',1,'d2fb9653d1e34b2f9e24060dd28c60fd','2024-05-06 07:08:09.000000','2026-11-23 17:10:01.188372','2026-11-23 17:10:01.188372',NULL,'127.0.0.1',1,NULL,NULL,NULL,'2024-05-06 07:08:09.123456','2024-06-06 00:00:00');
INSERT INTO user VALUES('b0c8f0b389f04f9ab58025d60b7bd640',NULL,'$argon2id$v=19$m=256,t=1,p=1$IMQ455xTKuW8F0JIKQXAeA$1TiwLs/veo2Nx0egKLznmLoJz19tObOj5w8cJQeBpPI',NULL,'o''hara',NULL,2,'o''hara@example.org',1,'b2cac381345645a4986113c729c54fc3',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'2024-05-06 07:08:09.123456','2024-06-06 00:00:00');
INSERT INTO user VALUES('e737fc6db4d04a0db59eef5ccb7affcd',NULL,'$argon2id$v=19$m=256,t=1,p=1$xniPkXIuhbBWyrlXSomR8g$5tZ/rme2gtIG1iX8EUgiTvVbexjz0xT7e1P5zXDWRbI',NULL,NULL,NULL,3,'zoe@example.org',1,'0e5a7e90f87d4d609933ce6b94351ba8',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'2024-05-06 07:08:09.123456','2024-06-06 00:00:00');
INSERT INTO user VALUES('bd69fa3e0c9540bab0c79b42608b4879',NULL,'$argon2id$v=19$m=256,t=1,p=1$IYSQ8r53jhFirLVWSmkNQQ$Gc5SCSAXOXiVyDHNY+FFAX6dQsUkoUc6gZHihONcr40',NULL,NULL,NULL,4,'off@example.org',0,'bbe5a9bd5a544311a1e54175fab28e2f','2024-05-06 07:08:09.000000',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'2024-05-06 07:08:09.123456','2024-06-06 00:00:00');
INSERT INTO user VALUES('bfde482c6d4c4accb2aa9b4c8e32d6fa','aaaa-bbbb-cccc,dddd-eeee-ffff','$argon2id$v=19$m=256,t=1,p=1$ufd+7733PmdMyTknhJDSmg$5FI8cVIM5UqY/iKyAAIMYUlkHrIq5FG3Ym3CEi2U+l8',NULL,NULL,NULL,5,'two@example.org',1,'5d8dd20ec581488aba48e551d010ecd9','2024-05-06 07:08:09.000000',NULL,NULL,NULL,NULL,NULL,'authenticator','{"enckey":{"c":14,"k":"ZRXIWP5M3I5BCSZXXTMJPF6NFAJ7MZ5A","s":"6E7KPVA2QMYGNDBRY24A","t":"1","v":1},"type":"totp","v":1}',NULL,'2024-05-06 07:08:09.123456','2024-06-06 00:00:00');
INSERT INTO user VALUES('e5973ad661d54a8eb0087734fee147c7',NULL,NULL,NULL,NULL,NULL,6,'nopass@example.org',1,'b9ac985eafcb47898289bd1cf94f8715',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'2024-05-06 07:08:09.123456','2024-06-06 00:00:00');
INSERT INTO user VALUES('60916bae71f14102b82512129b9e5420',NULL,'$argon2id$v=19$m=256,t=1,p=1$Omds7T1nDAFgzPkfA0DovQ$XoHPuHSQVhpcu3b6dUuW4dukOFyHpHU4M0xMF8tktLU',NULL,'pageuser',NULL,7,'page@example.org',1,'02aec03e7c0b4d9ba41dcd62430acc1d',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'2024-05-06 07:08:09.123456','2024-06-06 00:00:00');
CREATE TABLE roles_users (
	user_id INTEGER, 
	role_id INTEGER, 
	FOREIGN KEY(user_id) REFERENCES user (id), 
	FOREIGN KEY(role_id) REFERENCES role (id)
);
INSERT INTO roles_users VALUES(1,1);
CREATE TABLE web_authn (
	id INTEGER NOT NULL, 
	credential_id BLOB NOT NULL, 
	public_key BLOB NOT NULL, 
	sign_count INTEGER, 
	transports TEXT, 
	backup_state BOOLEAN NOT NULL, 
	device_type VARCHAR(64) NOT NULL, 
	extensions VARCHAR(255), 
	create_datetime DATETIME DEFAULT CURRENT_TIMESTAMP NOT NULL, 
	lastuse_datetime DATETIME NOT NULL, 
	name VARCHAR(64) NOT NULL, 
	usage VARCHAR(64) NOT NULL, 
	user_id INTEGER NOT NULL, 
	PRIMARY KEY (id), 
	FOREIGN KEY(user_id) REFERENCES user (id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX ix_web_authn_credential_id ON web_authn (credential_id);
COMMIT;
